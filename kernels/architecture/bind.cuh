// Hands the buffers and settings of ladder.cpp to a rung's launcher.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto setting = [&](const char* name) {
    return int(binding.param(name));
  };
  int skew = kEven;
  if (binding.chosen("skew", "rising")) skew = kRising;
  if (binding.chosen("skew", "falling")) skew = kFalling;
  if (binding.chosen("skew", "last")) skew = kLastLong;
  const int turns = setting("work") * int(binding.param_or("repeat", 1));
  launch<P>(gpu, binding.view<P, float>(0), binding.view<P, float>(1),
            binding.view<P, unsigned>(2),
            Settings{setting("blocks"), setting("threads"),
                     int(binding.param_or("registers", 24)),
                     setting("shared_bytes"), turns, skew,
                     int(binding.param_or("cluster", 8))});
}
