// The two shared objects of a reader's program in this process: `program`, which runs, and `traced`, whose
// kernels call the hooks.
#pragma once
#include <cstdint>
#include <string>

#include "app/model/result.hpp"

namespace lockstep::reader {

using ProgramMain = int (*)(int, char**);

// Loads both; the traced one without its static constructors, for its variables are the other's. An error is
// what the dynamic linker says: a function that is not there.
Result<ProgramMain> load_objects(const std::string& program, const std::string& traced);

// The counterpart in `traced` of a function of `program`; nullptr where it has none.
const void* traced_counterpart(const void* function);

// "k<float>" of a kernel's address; "" where it is none's.
std::string kernel_name(const void* function);

// Variables and constants of the program and of libraries.
bool is_program_memory(std::uintptr_t address);

// Which object an address of code lies in, and where in it, as addr2line wants it.
struct CodePlace {
  enum class Object : std::uint8_t { none, program, traced } object = Object::none;
  std::uint64_t offset = 0;
};
CodePlace code_place(std::uint64_t address);

}  // namespace lockstep::reader
