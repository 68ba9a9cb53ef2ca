#include "kernel_task.hpp"

#include <algorithm>
#include <cmath>

#include "app/model/expression.hpp"
#include "app/model/portable.hpp"

namespace lockstep::reader {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r'))
      line.remove_suffix(1);
    lines.push_back(line);
    begin = end + 1;
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// The values of an exercise by their names.
class ValueFigures final : public FigureSource {
 public:
  explicit ValueFigures(const Params& values) : values_(values) {}
  Result<Value> figure(const FigurePath& asked) override {
    const auto found = values_.find(to_text(asked));
    if (found != values_.end()) return found->second;
    std::string all;
    for (const auto& [name, value] : values_) all += (all.empty() ? "" : ", ") + name;
    return bad_input("there is no value '{0}' here: there are {1}", {to_text(asked), all});
  }

 private:
  const Params& values_;
};

class TaskReader {
 public:
  TaskReader(const std::string& name, const Params& values) : name_(name), figures_(values) {}

  Status add(std::string_view comment, int line, KernelTask& task) {
    line_ = line;
    const auto value_of = [&](std::string_view key) -> std::optional<std::string_view> {
      if (!comment.starts_with(key)) return std::nullopt;
      return comment.substr(key.size());
    };
    if (const auto value = value_of("// arguments: ")) return arguments(*value, task);
    if (const auto value = value_of("// most sectors: ")) return whole(*value, task.most_sectors);
    if (const auto value = value_of("// most wavefronts: ")) return whole(*value, task.most_wavefronts);
    if (const auto value = value_of("// slack: ")) return slack(*value, task);
    return Unit{};
  }

 private:
  Status whole(std::string_view text, std::optional<std::int64_t>& to) {
    const auto expression = Expression::parse(text, {}, {line_, 1});
    if (!expression) return in_file(expression.error());
    const auto value = expression->evaluate(figures_);
    if (!value) return in_file(value.error());
    const double number = number_of(*value);
    if (!(number >= 0) || number > 1e15 || number != std::floor(number))
      return bad_input("{0}:{1}: '{2}' is {3}, and a whole number from 0 on is wanted",
                       {name_, std::to_string(line_), std::string(text), to_string(*value)});
    to = std::int64_t(number);
    return Unit{};
  }

  Status arguments(std::string_view text, KernelTask& task) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      std::optional<std::int64_t> value;
      if (Status read = whole(text.substr(begin, end - begin), value); !read) return read;
      task.arguments.push_back(std::to_string(*value));
      begin = end + 1;
    }
    return Unit{};
  }

  Status slack(std::string_view text, KernelTask& task) {
    const auto number = number_in(text.substr(0, text.find(' ')));
    if (!number || !(*number >= 0 && *number <= 1000) || !text.ends_with(" %"))
      return bad_input("{0}:{1}: expected per cent, as in '// slack: 10 %'", {name_, std::to_string(line_)});
    task.slack = *number / 100;
    return Unit{};
  }

  Error in_file(const Error& error) const { return bad_input("{0}:{1}", {name_, error.text()}); }

  const std::string& name_;
  ValueFigures figures_;
  int line_ = 0;
};

std::size_t end_of_line(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size() - 1) + 1;
}

}  // namespace

int line_of_mark(std::string_view text, std::string_view mark) {
  const std::vector<std::string_view> lines = lines_of(text);
  const auto found = std::find(lines.begin(), lines.end(), mark);
  const bool once = found != lines.end() && std::find(found + 1, lines.end(), mark) == lines.end();
  return once ? int(found - lines.begin()) + 1 : 0;
}

Result<KernelTask> read_kernel_task(const std::string& text, const std::string& name, const Params& values) {
  KernelTask task;
  task.text = text;
  TaskReader reader(name, values);
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size() && lines[i].starts_with("//"); ++i)
    if (Status added = reader.add(lines[i], int(i) + 1, task); !added) return added.error();
  const int begins = line_of_mark(text, kPartBegins), ends = line_of_mark(text, kPartEnds);
  if (!begins || !ends || begins > ends)
    return bad_input("{0}:1: the lines '{1}' and '{2}' each stand in the program once, in this order",
                     {name, std::string(kPartBegins), std::string(kPartEnds)});
  return task;
}

std::string with_part(const std::string& start, std::string_view part) {
  const std::size_t begin = end_of_line(start, start.find(kPartBegins)), end = start.find(kPartEnds);
  return start.substr(0, begin) + std::string(part) + start.substr(end);
}

std::optional<OutsideChange> change_outside(const std::string& start, const std::string& text) {
  const int start_begins = line_of_mark(start, kPartBegins), start_ends = line_of_mark(start, kPartEnds);
  const int begins = line_of_mark(text, kPartBegins), ends = line_of_mark(text, kPartEnds);
  if (!begins || !ends || begins > ends) return OutsideChange{};
  const std::vector<std::string_view> wanted = lines_of(start), found = lines_of(text);
  const auto differs = [&](int at, int should) -> std::optional<OutsideChange> {
    const std::string_view was = should <= int(wanted.size()) ? wanted[std::size_t(should) - 1] : "";
    const std::string_view is = at <= int(found.size()) ? found[std::size_t(at) - 1] : "";
    if (was == is) return std::nullopt;
    return OutsideChange{at, std::string(was)};
  };
  for (int line = 1; line <= std::max(begins, start_begins); ++line)
    if (auto change = differs(line, line)) return change;
  const int behind = std::max(int(found.size()) - ends, int(wanted.size()) - start_ends);
  for (int line = 1; line <= behind; ++line)
    if (auto change = differs(ends + line, start_ends + line)) return change;
  return std::nullopt;
}

}  // namespace lockstep::reader
