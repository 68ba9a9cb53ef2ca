// Hands the buffers and settings of ladder.cpp to a rung's launcher.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto setting = [&](const char* name) {
    return int(binding.param(name));
  };
  launch<P>(gpu, binding.view<P, float>(0), binding.view<P, int>(1),
            binding.view<P, const int>(2), binding.view<P, int>(3),
            Settings{setting("warps"), setting("ilp"), setting("fma_per_load"),
                     setting("barrier_every")});
}
