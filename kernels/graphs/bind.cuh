// Hands the buffers and settings of ladder.cpp to a rung's launcher.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto setting = [&](const char* name, int otherwise) { return int(binding.param_or(name, otherwise)); };
  launch<P>(gpu, binding,
            Settings{setting("kernels", 1), setting("branches", 1), setting("rounds", kRounds), bucket_of(setting("batch", 1))});
}
