// Several threads of the host at once: the one place below app/engine that knows threads. Built with
// LOCKSTEP_NO_THREADS the same jobs run one after another, with the same results.
#pragma once
#include <functional>

namespace lockstep::simt {

// As many as emulate() takes by itself: those that were chosen, else one per core.
int threads_to_use();
void choose_threads(int threads);  // 0 = one per core
int chosen_threads();

// Calls job(worker, item) once for each item from 0 to items - 1 and returns when all are done. `worker` is
// below `threads`, and no two jobs of one worker run at the same time. Worker 0 is the caller; it does item
// 0.
void for_each_item(int items, int threads, const std::function<void(int worker, int item)>& job);

}  // namespace lockstep::simt
