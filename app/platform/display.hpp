// The display that a window is open on.
#pragma once
#include <functional>

namespace lockstep {

// When the X server is gone, `last` is called and the process ends with this exit code; of its own, Xlib
// would end it with 1 and without a word. `last` must not ask the display anything. Call it when the display
// is open.
void when_display_vanishes(std::function<void()> last, int exit_code);

}  // namespace lockstep
