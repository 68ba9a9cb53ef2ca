// Hands the buffers and settings of ladder.cpp to a rung's launcher.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  launch<P>(gpu, binding.view<P, const float>(0), binding.view<P, float>(1),
            Settings{int(binding.param("elements")),
                     int(binding.param_or("copy", 0))});
}
