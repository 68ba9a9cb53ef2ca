#include "app/cli/kernel_judge.hpp"

#include <algorithm>

#include "app/platform/files.hpp"
#include "app/program/check_kernel.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestTask = 1 << 20;

bool is_task_name(std::string_view name) {
  return !name.empty() && name.size() <= 80 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

Verdict::Kind kind_of(reader::KernelVerdict::Kind kind) {
  switch (kind) {
    case reader::KernelVerdict::Kind::right:
      return Verdict::Kind::right;
    case reader::KernelVerdict::Kind::outside_changed:
      return Verdict::Kind::not_understood;
    default:
      return Verdict::Kind::wrong;
  }
}

}  // namespace

KernelJudge::KernelJudge(std::vector<fs::path> folders, fs::path worker)
    : folders_(std::move(folders)), worker_(std::move(worker)) {}

Result<std::string> KernelJudge::starting_text(const std::string& task) {
  if (!is_task_name(task))
    return bad_input("'{0}' is no name of a task: letters, digits, - and _ are", {task});
  std::error_code error;
  for (const fs::path& folder : folders_)
    for (const fs::path& place : {folder / "programs", folder}) {
      const fs::path file = place / (task + ".cu");
      if (!fs::is_regular_file(file, error)) continue;
      const auto bytes = read_file(file, kLargestTask);
      if (!bytes) return bytes.error();
      return std::string(bytes->begin(), bytes->end());
    }
  return bad_input("there is no programs/{0}.cu in any folder of exercises", {task});
}

Result<Verdict> KernelJudge::judge(const std::string& task, std::string_view text, const Params& values) {
  const auto start = starting_text(task);
  if (!start) return start.error();
  const auto read = reader::read_kernel_task(*start, task + ".cu", values);
  if (!read) return read.error();
  auto judged = reader::check_kernel(*read, std::string(text), {}, worker_);
  if (!judged) return judged.error();
  Verdict verdict;
  verdict.kind = kind_of(judged->kind);
  verdict.reason = std::move(judged->reason), verdict.more = std::move(judged->more);
  return verdict;
}

}  // namespace lockstep
