// Hands the buffers and settings of ladder.cpp to a rung's launcher. Every rung has a launcher per element type T of
// q, k and v, launch<P, T>, and takes the buffers that it needs behind q, k, v, o, l.
template <class T, class P>
void run_as(Launcher<P>& gpu, const Binding& binding, const Settings& s) {
  const auto q = binding.view<P, const T>(0), k = binding.view<P, const T>(1), v = binding.view<P, const T>(2);
  const auto o = binding.view<P, float>(3), l = binding.view<P, float>(4);
  if constexpr (requires(View<float, P> x) { launch<P, T>(gpu, q, k, v, o, l, q, x, x, x, x, s); })
    launch<P, T>(gpu, q, k, v, o, l, binding.view<P, const T>(5), binding.view<P, float>(6), binding.view<P, float>(7), binding.view<P, float>(8), binding.view<P, float>(9), s);
  else if constexpr (requires(View<float, P> scores, View<T, P> p) { launch<P, T>(gpu, q, k, v, o, l, scores, p, s); })
    launch<P, T>(gpu, q, k, v, o, l, binding.view<P, float>(5), binding.view<P, T>(6), s);
  else if constexpr (requires(View<float, P> m, View<float, P> sum) { launch<P, T>(gpu, q, k, v, o, l, m, sum, s); })
    launch<P, T>(gpu, q, k, v, o, l, binding.view<P, float>(5), binding.view<P, float>(6), s);
  else if constexpr (requires { launch<P, T>(gpu, q, k, v, o, l, s); })
    launch<P, T>(gpu, q, k, v, o, l, s);
}

template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto setting = [&](const char* name) { return int(binding.param_or(name, 0)); };
  const Settings s{setting("seq"),    setting("head_dim"), setting("heads"), binding.chosen("causal", "yes"),
                   setting("tile_q"), setting("tile_k")};
  if (binding.chosen("dtype", "bf16")) run_as<nv_bfloat16>(gpu, binding, s);
  else if (binding.chosen("dtype", "half")) run_as<half>(gpu, binding, s);
  else run_as<float>(gpu, binding, s);
}
