// Hands the buffers and settings of ladder.cpp to a rung's launcher.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto setting = [&](const char* name, int otherwise) {
    return int(binding.param_or(name, otherwise));
  };
  Settings s;
  s.width = setting("width", 4);
  s.stride = setting("stride", 1), s.offset = setting("offset", 0);
  s.pitch = setting("pitch", 32), s.column = setting("column", 0);
  s.divide = setting("divide", 1), s.modulo = setting("modulo", 32);
  s.store = binding.chosen("pattern", "store");
  s.warps = setting("warps", 1);
  s.chains = setting("chains", 1), s.repeat = setting("repeat", 1);
  const auto out = binding.view<P, int>(0), clocks = binding.view<P, int>(1);
  if constexpr (requires(View<const int, P> map) {
                  launch<P>(gpu, out, clocks, map, s);
                })
    launch<P>(gpu, out, clocks, binding.view<P, const int>(2), s);
  else
    launch<P>(gpu, out, clocks, s);
}
