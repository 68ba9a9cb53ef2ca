// Hands the buffers and settings of ladder.cpp to a rung's launcher.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto setting = [&](const char* name, int otherwise) {
    return int(binding.param_or(name, otherwise));
  };
  const int n = setting("n", 1), kb = 1024 * setting("mb", 64);
  // As large a part of the array as the chunk is of the one that is timed.
  const long long chunk = setting("chunk", kb);
  const long long part = (n * chunk + kb - 1) / kb;
  const Settings s{n, part < n ? (int)part : n, setting("streams", 1),
                   setting("rounds", kRounds)};
  launch<P>(gpu, binding, s);
}
