#include "display.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace lockstep {
namespace {

std::function<void()> g_last;
int g_exit_code = 0;

// Returning would leave it to Xlib to end the process.
int end_without_display(void*) {
  g_last();
  std::_Exit(g_exit_code);
}

}  // namespace

// Xlib is there where GLFW has loaded it; this program does not link it.
void when_display_vanishes(std::function<void()> last, int exit_code) {
  g_last = std::move(last), g_exit_code = exit_code;
  using Handler = int (*)(void*);
  void* xlib = ::dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void* found = xlib ? ::dlsym(xlib, "XSetIOErrorHandler") : nullptr;
  if (found) reinterpret_cast<Handler (*)(Handler)>(found)(end_without_display);
}

}  // namespace lockstep
