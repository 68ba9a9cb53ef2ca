// Hands the buffers and settings of ladder.cpp to a rung's launcher. The fourth
// buffer is what the rung goes by, targets or first edges; `normalized` has
// both.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const auto ints = [&](int id) { return binding.view<P, const int>(id); };
  Arrays<P> at{};
  at.x = binding.view<P, const float>(0);
  at.out = binding.view<P, float>(1);
  at.source = ints(2), at.target = at.first = ints(3);
  if (binding.buffers.size() == 6)
    at.first = ints(4), at.degree = binding.view<P, int>(5);
  const int graphs = int(binding.param_or("graphs", 1));
  const auto ends = binding.buffers[2].bytes / sizeof(int);
  launch<P>(gpu, at,
            {int(binding.param("nodes")) * graphs, int(ends),
             int(binding.param("width")), int(binding.param("threads")),
             int(binding.param_or("run", 1)), graphs});
}
