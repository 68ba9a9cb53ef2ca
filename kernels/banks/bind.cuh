// Hands the buffers and settings of ladder.cpp to a rung's launcher.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto setting = [&](const char* name, int otherwise) { return int(binding.param_or(name, otherwise)); };
  const Settings s{setting("width", 4),   setting("stride", 1), setting("offset", 0), setting("pitch", 32),  setting("column", 0), setting("divide", 1),
                   setting("modulo", 32), binding.chosen("pattern", "store"), setting("warps", 1), setting("chains", 1), setting("repeat", 1)};
  const auto out = binding.view<P, int>(0), clocks = binding.view<P, int>(1);
  if constexpr (requires(View<const int, P> map) { launch<P>(gpu, out, clocks, map, s); })
    launch<P>(gpu, out, clocks, binding.view<P, const int>(2), s);
  else
    launch<P>(gpu, out, clocks, s);
}
