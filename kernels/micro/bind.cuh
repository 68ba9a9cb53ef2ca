// Hands the buffers and settings of ladder.cpp to a microbenchmark's launcher.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto setting = [&](const char* name) {
    return int(binding.param(name));
  };
  launch<P>(gpu, binding.view<P, int>(0), binding.view<P, int>(1),
            binding.view<P, const int>(2),
            Settings{setting("warps"), setting("chains"), setting("repeat"),
                     setting("size")});
}
