// Hands the buffers and settings of ladder.cpp to a rung's launcher.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto setting = [&](const char* name) {
    return int(binding.param_or(name, 1));
  };
  const Settings s{setting("n"),      setting("stride"), setting("offset"),
                   setting("pitch"),  setting("fields"), setting("read"),
                   setting("width")};
  const auto in = binding.view<P, const float>(0);
  const auto out = binding.view<P, float>(1);
  if constexpr (requires(View<const int, P> from) {
                  launch<P>(gpu, in, out, from, s);
                })
    launch<P>(gpu, in, out, binding.view<P, const int>(2), s);
  else
    launch<P>(gpu, in, out, s);
}
