// The table of rungs compiled for the emulator (generated from kernels/<ladder>/NN_name.cuh).
#pragma once

namespace lab {
struct Emulated;
struct Binding;
template <class P>
class Launcher;
}  // namespace lab

namespace lockstep::simt {
struct RungCode {
  const char* file;  // "transpose/02_naive.cuh"
  void (*run)(lab::Launcher<lab::Emulated>& gpu, const lab::Binding& binding);
};
extern const RungCode* const emulated_rungs[];  // ends with nullptr
}  // namespace lockstep::simt
