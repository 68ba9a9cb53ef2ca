// Hands the buffers and settings of ladder.cpp to a rung's launcher.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto setting = [&](const char* name, int otherwise) {
    return int(binding.param_or(name, otherwise));
  };
  const int words = 256 * setting("footprint", 1);  // it is in KB
  const int stride = setting("stride", 4) / 4;      // in bytes
  launch<P>(gpu, binding.view<P, const int>(0), binding.view<P, int>(1),
            binding.view<P, int>(2), binding.view<P, int>(3),
            Settings{words, stride, setting("warm", kPlainWarm),
                     setting("loads", kPlainLoads),
                     setting("blocks", kPlainBlocks),
                     setting("rounds", kPlainRounds), setting("chains", 8),
                     setting("each", 4)});
}
