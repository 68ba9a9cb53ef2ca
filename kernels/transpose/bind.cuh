// Hands the buffers of ladder.cpp to a rung's launcher; every rung of this
// ladder has the same signature.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  launch<P>(gpu, binding.view<P, const float>(0), binding.view<P, float>(1),
            int(binding.param("n")));
}
