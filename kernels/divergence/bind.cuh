// Hands the buffers and settings of ladder.cpp to a rung's launcher.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const Arrays<P> at{binding.view<P, const float>(0),
                     binding.view<P, float>(1), binding.view<P, int>(2)};
  const Settings s{int(binding.param("n")), int(binding.param("threads")),
                   int(binding.param("rounds")),
                   int(binding.param_or("ways", 1)),
                   float(binding.param_or("share", 0)) / 100};
  launch<P>(gpu, at, s);
}
