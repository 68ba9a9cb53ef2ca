// The same launches by several stopwatches on this machine's GPU. Plain C++ types.
#pragma once
#include <cstdint>
#include <functional>

#include "app/model/stopwatch.hpp"

namespace lockstep::cuda {

// What is told between the launches that are timed.
enum class StopwatchMoment : std::uint8_t { begins, first_done, ends };
using StopwatchTold = std::function<void(Stopwatch stopwatch, StopwatchMoment moment)>;

// `launch(copy)` launches the kernel's copy of that number and does not wait; false on failure. Each
// stopwatch takes a copy of its own that no call has launched before in this process, as long as there are
// any: then first_us is 0.
Result<Stopwatches> measure_stopwatches(const std::function<bool(int copy)>& launch, int copies, int runs,
                                        const StopwatchTold& told);

}  // namespace lockstep::cuda
