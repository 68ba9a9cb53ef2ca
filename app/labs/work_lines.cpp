#include "work_lines.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/ladder.hpp"
#include "kernels/plain/plain_cuda.hpp"

namespace lockstep {
namespace {

constexpr std::string_view kMark = "begin_step(";

// A kernel file by its lines, from 1.
class KernelLines {
 public:
  explicit KernelLines(std::string_view text) : plain_(plain_cuda(text)) {
    for (lines_.emplace_back(); !text.empty();) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      lines_.push_back(code_of(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  bool marks(int line) const { return has(line) && lines_[std::size_t(line)].find(kMark) != kNone; }
  // Does something, and stands in the plain text.
  bool works(int line) const {
    return shown(line) && lines_[std::size_t(line)].find_first_not_of(" \t{};") != kNone;
  }
  // The lines between a mark and the next one, or the end of the block that it stands in: from the first that
  // works to the last, with the braces between them.
  std::vector<std::uint16_t> behind(int mark) const {
    int first = 0, last = -1, depth = 0;
    for (int line = mark + 1; has(line) && !marks(line) && depth >= 0; ++line) {
      for (const char c : lines_[std::size_t(line)]) depth += (c == '{') - (c == '}');
      if (depth < 0 || !works(line)) continue;
      if (first == 0) first = line;
      last = line;
    }
    std::vector<std::uint16_t> found;
    for (int line = first; line <= last; ++line)
      if (shown(line)) found.push_back(std::uint16_t(line));
    return found;
  }

 private:
  static constexpr std::size_t kNone = std::string_view::npos;
  static std::string_view code_of(std::string_view line) { return line.substr(0, line.find("//")); }
  bool shown(int line) const {
    return has(line) && !marks(line) && plain_.kernel_line(plain_.plain_line(line)) == line &&
           lines_[std::size_t(line)].find_first_not_of(" \t") != kNone;
  }
  bool has(int line) const { return line > 0 && line < int(lines_.size()); }

  PlainKernel plain_;
  std::vector<std::string_view> lines_;
};

// The files of the lab's rungs, by the id that the run has for them; read when they are first asked for.
class KernelFiles {
 public:
  explicit KernelFiles(const Run& run) {
    if (const Ladder* ladder = find_ladder(run.request.lab))
      for (const RungInfo& rung : ladder->info.rungs) names_[source_id(run, rung.file)] = rung.file;
  }
  const KernelLines* find(std::uint16_t id) {
    const auto name = names_.find(id);
    if (name == names_.end()) return nullptr;
    auto& file = files_[id];
    if (!file) file.emplace(kernel_source(name->second));
    return &*file;
  }

 private:
  std::map<std::uint16_t, std::string> names_;
  std::map<std::uint16_t, std::optional<KernelLines>> files_;
};

}  // namespace

void take_work_lines(MarkedAxis& axis, const Run& run) {
  KernelFiles files(run);
  for (int s = 0; s < axis.count(); ++s) {
    MarkedStep& step = axis.marked[std::size_t(s)];
    const KernelLines* file = step.mark ? files.find(step.file) : nullptr;
    if (!file || !file->marks(step.line)) continue;
    if (auto lines = file->behind(step.line); !lines.empty()) step.lines = std::move(lines);
  }
}

}  // namespace lockstep
