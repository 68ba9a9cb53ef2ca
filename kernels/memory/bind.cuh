// Hands the buffers and settings of ladder.cpp to a rung's launcher.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto setting = [&](const char* name, int otherwise) {
    return int(binding.param_or(name, otherwise));
  };
  const int words = 256 * setting("footprint", 1);  // it is in KB
  const int stride = setting("stride", 4) / 4;      // in bytes
  const auto in = binding.view<P, const int>(0);
  const auto out = binding.view<P, int>(1), clocks = binding.view<P, int>(2),
             place = binding.view<P, int>(3);
  const Settings s{words, stride, setting("warm", kPlainWarm),
                   setting("loads", kPlainLoads),
                   setting("blocks", kPlainBlocks),
                   setting("rounds", kPlainRounds), setting("chains", 8),
                   setting("each", 4)};
  if constexpr (requires { launch<P>(gpu, in, out, clocks, place, s); })
    launch<P>(gpu, in, out, clocks, place, s);
  else
    launch<P>(gpu, in, out, clocks, place, s, setting("lines", kPlainLines),
              int(binding.chosen("side", "far")));
}
