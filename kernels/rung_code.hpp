// What runs a rung: a launcher per build of its kernels. The build's own rungs are found by their file
// (generated tables); a rung made at run time brings its code with it.
#pragma once
#include <functional>
#include <string>

namespace lab {
struct Emulated;
struct Binding;
struct DeviceBinding;
template <class P>
class Launcher;
}  // namespace lab

namespace lockstep {

struct RungCode {
  std::string source;  // of its kernels, where they are no file of the build
  // Each launches the kernels of one run; empty where this rung has no such build.
  std::function<void(lab::Launcher<lab::Emulated>& gpu, const lab::Binding& binding)> emulated;
  // The launcher's state is a lab::LaunchLog (clean) or a cuda::TracedLaunches (traced).
  std::function<void(void*state, const lab::DeviceBinding&binding)> clean, traced;
};

}  // namespace lockstep
