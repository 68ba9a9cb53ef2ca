// Hands the buffers and settings of ladder.cpp to a rung's launcher, for the
// element type that is asked for.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const Settings s{int(binding.param("rows")), int(binding.param("cols")),
                   int(binding.param_or("tile", 0))};
  const auto with = [&](auto zero) {
    using T = decltype(zero);
    launch<T, P>(gpu, binding.view<P, const T>(0), binding.view<P, T>(1), s);
  };
  if (binding.chosen("dtype", "half")) with(half{});
  else if (binding.chosen("dtype", "bf16")) with(nv_bfloat16{});
  else with(float{});
}
