// Launches that overlap (PTX ISA, "griddepcontrol"; CUDA C++ Programming Guide, "Programmatic Dependent Launch"). The
// same text for the GPU and the emulator.
//
//   launcher.launch_dependent(...)   as launch(): its blocks may begin as soon as every block of the launch before has
//                                    said launch_dependents(), or ended
//   launch_dependents()              the next launch may begin
//   wait_prerequisites()             until the launches before have ended, and what they have written is there
//
// Without wait_prerequisites() a kernel must not touch what the launch before writes. The emulator, which runs launches
// one after another, finds the wait over.
#pragma once
#include "kernels/lab.cuh"

#ifdef __CUDACC__
namespace lab {
namespace units {
LAB_DEVICE void launch_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
LAB_DEVICE void wait_prerequisites() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
}  // namespace units
#ifdef LAB_TRACED
LAB_DEVICE void launch_dependents(int line = __builtin_LINE(), std::uint16_t file = site_file(__builtin_FILE())) {
  record(0, file, std::uint16_t(line), 0, 0, Kind::launch_dependents);
  units::launch_dependents();
}
LAB_DEVICE void wait_prerequisites(int line = __builtin_LINE(), std::uint16_t file = site_file(__builtin_FILE())) {
  record(0, file, std::uint16_t(line), 0, 0, Kind::await_prerequisites);
  units::wait_prerequisites();
}
#else
LAB_DEVICE void launch_dependents() { units::launch_dependents(); }
LAB_DEVICE void wait_prerequisites() { units::wait_prerequisites(); }
#endif
}  // namespace lab
#else
#include "kernels/simt/dependents.hpp"
#endif
