// Hands the buffers and settings of ladder.cpp to a rung's launcher. Rungs on
// tensor cores take bf16, or the bytes of e4m3.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto setting = [&](const char* name) {
    return int(binding.param_or(name, 0));
  };
  const Settings s{setting("m"),  setting("n"),  setting("k"),
                   setting("bm"), setting("bn"), setting("bk")};
  const auto with = [&](auto zero) {
    using T = const decltype(zero);
    launch<P>(gpu, binding.view<P, T>(0), binding.view<P, T>(1),
              binding.view<P, float>(2), s);
  };
  if constexpr (requires(View<const bf16, P> in, View<float, P> out) {
                  launch<P>(gpu, in, in, out, s);
                })
    with(bf16{});
  else if constexpr (requires(View<const std::uint8_t, P> in,
                              View<float, P> out) {
                       launch<P>(gpu, in, in, out, s);
                     })
    with(std::uint8_t{});
  else
    with(float{});
}
