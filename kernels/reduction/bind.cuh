// Hands the buffers and settings of ladder.cpp to a rung's launcher, for the
// operation that is asked for.
template <class P>
void run(Launcher<P>& gpu, const Binding& binding) {
  const Settings s{int(binding.param("n")), int(binding.param_or("threads", 0)),
                   int(binding.param_or("blocks", 0))};
  const auto floats = [&](int id) { return binding.view<P, float>(id); };
  const Arrays<P> at{binding.view<P, const float>(0), floats(1), floats(2),
                     floats(3)};
  const auto with = [&]<class Op>(Op) {
    if constexpr (requires { launch<Op, P>(gpu, at, s); })
      launch<Op, P>(gpu, at, s);
    else
      launch<Op, P>(gpu, at, binding.view<P, unsigned>(4), s);
  };
  if (binding.chosen("operation", "max")) with(Max{});
  else with(Sum{});
}
