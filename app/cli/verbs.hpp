// One function per verb of the command line. Each returns the exit code or the Error to print.
#pragma once
#include <optional>
#include <string>

#include "app/cli/arguments.hpp"

namespace lockstep {

using Outcome = Result<Exit>;

Outcome list_labs(bool json);
Outcome run_lab(const RunArguments& arguments);
// Clean kernels once in this process, for profilers and sanitizers.
Outcome launch_lab(const RunArguments& arguments);
// For scripts/validate.py, one JSON array on standard output, a row per rung and setting in the order of the
// launches. A row that fails holds `error` and the others go on.
struct ValidateArguments {
  enum class Work { clean, streams, unchecked, plan } work = Work::clean;
  std::optional<std::string> settings;  // a file of rows {lab, rung, params}; else those that a plan has
  int drawn = 0;                        // settings per rung beside the ladder's validation settings ...
  std::uint64_t seed = 0;               // ... from this seed
};
// The clean kernels once each with their check; the comparison of GPU trace and emulator; the clean kernels
// alone; or no launch (plan): the rows that would be.
Outcome validate_labs(const RunArguments& arguments, const ValidateArguments& how);
// The model's blocks per SM against the driver's on this GPU, as one JSON object; exit 1 where they differ.
Outcome validate_occupancy();
Outcome record_labs(const RunArguments& arguments, const std::optional<std::string>& folder);
// `what` is a lab, "emulator", "ui", or nothing for every lab.
Outcome bench(const RunArguments& arguments);
// LAB/RUNG as a complete CUDA program, into a file or to standard output; `all` into a folder.
Outcome export_rung(const ShotArguments& arguments);
// A program to start from; `name` is the file.
Outcome new_program(const std::optional<std::string>& name, const std::optional<std::string>& from);
std::string template_names();  // for its help
Outcome shoot(const ShotArguments& arguments);
Outcome clip(const ShotArguments& arguments);
Outcome write_tour(const ShotArguments& arguments);
struct WindowOptions;
Outcome show_window(const ShotArguments& arguments, WindowOptions options);
// With `test`, a run of each lab too; exit 1 where one is wrong.
Outcome doctor(const RunArguments& arguments, bool test);
// What the driver says of this GPU beside what assets/gpus.json says; else what was recorded.
Outcome doctor_device(const RunArguments& arguments);
Outcome work(const RunArguments& arguments);
// A reader's own CUDA program.
bool names_program(const std::optional<std::string>& word);
Outcome run_program_verb(const ShotArguments& arguments);
Outcome work_on_program(const std::string& order_file);

}  // namespace lockstep
