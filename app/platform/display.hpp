// The display that a window is open on, and the library that opens windows.
#pragma once
#include <functional>

#include "app/model/result.hpp"

namespace lockstep {

bool display_available();

// Call it before any function of GLFW. A packaged program is linked with GLFW, and nothing is to do. The
// portable one carries GLFW for X11 and for Wayland (cmake/portable.cmake) and opens one here, for it starts
// where neither is installed.
Status load_window_library();

// When the X server is gone, `last` is called and the process ends with this exit code; of its own, Xlib
// would end it with 1 and without a word. `last` must not ask the display anything. Call it when the display
// is open.
void when_display_vanishes(std::function<void()> last, int exit_code);

}  // namespace lockstep
