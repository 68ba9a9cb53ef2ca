// Judges the programs of exercises: joins the exercises, which name a task, with what runs readers' programs.
#pragma once
#include <filesystem>
#include <vector>

#include "app/stories/exercise_check.hpp"

namespace lockstep {

class KernelJudge final : public ProgramJudge {
 public:
  // A task is FOLDER/programs/NAME.cu, or a teacher's own FOLDER/NAME.cu; the first folder that has it.
  explicit KernelJudge(std::vector<std::filesystem::path> folders, std::filesystem::path worker = {});

  // Compiles and runs: seconds.
  Result<Verdict> judge(const std::string& task, std::string_view text, const Params& values) override;
  Result<std::string> starting_text(const std::string& task) override;

 private:
  std::vector<std::filesystem::path> folders_;
  std::filesystem::path worker_;  // "" = the running program
};

}  // namespace lockstep
