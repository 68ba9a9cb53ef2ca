// Hands the buffers and settings of ladder.cpp to a rung's launcher.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const Settings s{int(binding.param_or("elements", kElements)),
                   int(binding.param_or("steps", kSteps)),
                   int(binding.param("threads")),
                   long(binding.param("shared_bytes"))};
  launch<P>(gpu, binding.view<P, const float>(0), binding.view<P, float>(1), s);
}
