// Hands the buffers and settings of ladder.cpp to a rung's launcher; a
// parameter that the rung does not have is one.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto extent = [&](const char* name) {
    return int(binding.param_or(name, 1));
  };
  const Settings s{
      extent("width"), extent("height"),
      int(binding.param_or("inner", extent("depth"))),
      {extent("block_x"), extent("block_y"), extent("block_z")},
      extent("blocks")};
  const auto in = [&](int i) { return binding.view<P, const float>(i); };
  const auto out = [&](int i) { return binding.view<P, float>(i); };
  if constexpr (requires { launch<P>(gpu, in(0), in(1), out(2), s); })
    launch<P>(gpu, in(0), in(1), out(2), s);
  else
    launch<P>(gpu, in(0), out(1), s);
}
