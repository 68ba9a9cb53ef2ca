// Hands the buffers and settings of ladder.cpp to a rung's launcher; a
// parameter that the rung does not have is one.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto extent = [&](const char* name) {
    return int(binding.param_or(name, 1));
  };
  const Settings s{
      extent("width"), extent("height"), extent("depth"),
      {extent("block_x"), extent("block_y"), extent("block_z")},
      extent("blocks")};
  launch<P>(gpu, binding.view<P, const float>(0), binding.view<P, float>(1), s);
}
