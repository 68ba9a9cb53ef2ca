// Hands the buffers and settings of ladder.cpp to a rung's launcher.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  Arrays<P> at{};
  at.in = binding.view<P, const int>(0), at.out = binding.view<P, int>(1);
  if (binding.buffers.size() == 3) at.sums = binding.view<P, int>(2);
  if (binding.buffers.size() == 4)
    at.words = binding.view<P, Word>(2),
    at.drawn = binding.view<P, unsigned>(3);
  const Settings s{int(binding.param("n")),
                   int(binding.param_or("threads", kManyThreads))};
  launch<P>(gpu, at, s);
}
