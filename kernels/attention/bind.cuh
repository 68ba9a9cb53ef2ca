// Hands the buffers and settings of ladder.cpp to a rung's launcher. Every rung
// has one, launch<P, T>, for the element types T of q, k and v that it takes,
// with the buffers that it needs after q, k, v, o, l.
template <class T, class P>
void run_as(Launcher<P>& gpu, const Binding& binding, const Settings& s) {
  const auto in = [&](int id) { return binding.view<P, const T>(id); };
  const auto out = [&](int id) { return binding.view<P, float>(id); };
  const auto q = in(0), k = in(1), v = in(2);
  const auto o = out(3), l = out(4);
  if constexpr (std::is_same_v<T, std::uint8_t>)                  // fp8
    launch<P, T>(gpu, q, k, v, o, l, binding.view<P, T>(5), s);
  else if constexpr (requires {                                   // backward
                  launch<P, T>(gpu, q, k, v, o, l, q, o, o, o, o, s);
                })
    launch<P, T>(gpu, q, k, v, o, l, in(5), out(6), out(7), out(8), out(9), s);
  else if constexpr (requires(View<T, P> p) {                     // standard
                       launch<P, T>(gpu, q, k, v, o, l, o, p, s);
                     })
    launch<P, T>(gpu, q, k, v, o, l, out(5), binding.view<P, T>(6), s);
  else if constexpr (requires {                                   // flash1
                       launch<P, T>(gpu, q, k, v, o, l, o, o, s);
                     })
    launch<P, T>(gpu, q, k, v, o, l, out(5), out(6), s);
  else if constexpr (requires { launch<P, T>(gpu, q, k, v, o, l, s); })
    launch<P, T>(gpu, q, k, v, o, l, s);
  else {
    static_assert(!std::is_same_v<T, nv_bfloat16>,
                  "no launcher takes these buffers");
    gpu.refuse(sizeof(T) == 4 ? "this kernel takes 16-bit numbers, no float"
                              : "this kernel takes bf16 alone");
  }
}

template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto setting = [&](const char* name) {
    return int(binding.param_or(name, 0));
  };
  const Settings s{setting("seq"),    setting("head_dim"),
                   setting("heads"),  binding.chosen("causal", "yes"),
                   setting("tile_q"), setting("tile_k")};
  using Bytes = View<std::uint8_t, P>;
  if constexpr (requires(View<const std::uint8_t, P> in, View<float, P> out,
                         Bytes turned) {
                  launch<P, std::uint8_t>(gpu, in, in, in, out, out, turned, s);
                })
    run_as<std::uint8_t>(gpu, binding, s);
  else if (binding.chosen("dtype", "bf16"))
    run_as<nv_bfloat16>(gpu, binding, s);
  else if (binding.chosen("dtype", "half")) run_as<half>(gpu, binding, s);
  else run_as<float>(gpu, binding, s);
}
