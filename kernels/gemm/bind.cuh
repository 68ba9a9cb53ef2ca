// Hands the buffers and settings of ladder.cpp to a rung's launcher. Rungs on tensor cores take bf16.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto setting = [&](const char* name) { return int(binding.param_or(name, 0)); };
  const Settings s{setting("m"), setting("n"), setting("k"), setting("bm"), setting("bn"), setting("bk")};
  const auto c = binding.view<P, float>(2);
  if constexpr (requires(View<const bf16, P> in) { launch<P>(gpu, in, in, c, s); })
    launch<P>(gpu, binding.view<P, const bf16>(0), binding.view<P, const bf16>(1), c, s);
  else
    launch<P>(gpu, binding.view<P, const float>(0), binding.view<P, const float>(1), c, s);
}
