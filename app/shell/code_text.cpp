#include "code_text.hpp"

#include <algorithm>

#include "app.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

std::string_view trimmed(std::string_view line) {
  const auto first = line.find_first_not_of(' ');
  return first == line.npos ? std::string_view{} : line.substr(first);
}

// The line with the largest value among those that are above their fewest.
int most_above(const std::vector<LineCost>& costs, std::int64_t LineCost::*value,
               std::int64_t LineCost::*above) {
  int most = -1;
  for (int i = 0; i < int(costs.size()); ++i) {
    const LineCost& cost = costs[std::size_t(i)];
    if (cost.*above > 0 && (most < 0 || cost.*value > costs[std::size_t(most)].*value)) most = i;
  }
  return most;
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

int first_code_line(const std::vector<std::string_view>& lines) {
  for (int i = 0; i < int(lines.size()); ++i)
    if (const auto t = trimmed(lines[std::size_t(i)]);
        !t.empty() && !t.starts_with("//") && !t.starts_with("#"))
      return i;
  return 0;
}

std::vector<bool> new_lines(std::string_view before, std::string_view now) {
  const auto a = lines_of(before), b = lines_of(now);
  const std::size_t n = a.size(), m = b.size();
  std::vector<std::vector<int>> length(n + 1, std::vector<int>(m + 1, 0));
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = m; j-- > 0;)
      length[i][j] = trimmed(a[i]) == trimmed(b[j]) ? length[i + 1][j + 1] + 1
                                                    : std::max(length[i + 1][j], length[i][j + 1]);
  std::vector<bool> fresh(m, true);
  for (std::size_t i = 0, j = 0; i < n && j < m;) {
    if (trimmed(a[i]) == trimmed(b[j]))
      fresh[j++] = false, ++i;
    else if (length[i + 1][j] >= length[i][j + 1])
      ++i;
    else
      ++j;
  }
  return fresh;
}

CodeText make_code_text(const PlainKernel& source, const PlainKernel* before,
                        const std::map<int, LineCost>& costs) {
  CodeText code;
  code.lines = lines_of(source.text);
  code.syntax = syntax_of_lines(source.text);
  code.fresh.assign(code.lines.size(), false);
  if (before) code.fresh = new_lines(before->text, source.text);
  code.costs.resize(code.lines.size());
  for (std::size_t i = 0; i < code.lines.size(); ++i) {
    if (trimmed(code.lines[i]).empty()) code.fresh[i] = false;
    code.differing += code.fresh[i];
  }
  for (const auto& [line, cost] : costs) {
    const int shown = source.plain_line(line) - 1;
    if (shown < 0 || shown >= int(code.costs.size())) continue;  // a stranger's run
    code.costs[std::size_t(shown)] += cost, code.has_costs = true;
  }
  code.most_sectors = most_above(code.costs, &LineCost::sectors, &LineCost::sectors_above);
  code.most_wavefronts = most_above(code.costs, &LineCost::wavefronts, &LineCost::wavefronts_above);
  return code;
}

// --- of the window

const PlainKernel& App::source(const std::string& file) {
  const auto [at, fresh] = sources_.try_emplace({file, plain_source});
  if (!fresh) return at->second;
  const std::string_view text = kernel_source(file);
  if (plain_source) return at->second = plain_cuda(text);
  PlainKernel& as_compiled = at->second;
  as_compiled.text = text;
  for (int line = 1; line <= int(lines_of(text).size()); ++line)
    as_compiled.kernel_lines.push_back(line), as_compiled.plain_lines.push_back(line);
  return as_compiled;
}

// Also told apart: a run that is gone, and none.
static bool is_of(const std::weak_ptr<const Run>& made_of, const std::shared_ptr<const Run>& run) {
  return !made_of.owner_before(run) && !run.owner_before(made_of);
}

const LineCosts& App::line_costs() {
  const auto run = scene_ ? scene_->shared_run() : nullptr;
  if (!is_of(line_costs_of_, run))
    line_costs_ = run ? lockstep::line_costs(run->launches) : LineCosts{}, line_costs_of_ = run;
  return line_costs_;
}

// The rung's own, unless the scene names another, or the step runs in that of another rung, whose kernel this
// one launches as well, or in what the rungs of the ladder share.
std::string App::code_file() const {
  const std::string& own = info().rungs[std::size_t(rung_index())].file;
  if (!scene_) return own;
  if (const std::string named = scene_->shown_source(); !named.empty()) return named;
  if (!has_steps() || run()->request.rung != state_.rung) return own;
  const SourceLines lines = scene_->axis().lines(state_.step);
  for (const RungInfo& rung : info().rungs)
    if (!lines.lines.empty() && lines.file != source_id(*run(), own) &&
        lines.file == source_id(*run(), rung.file))
      return rung.file;
  for (const std::string& shared : included_kernels(own))
    if (!lines.lines.empty() && lines.file == source_id(*run(), shared)) return shared;
  return own;
}

const CodeText& App::code_text() {
  const auto run = scene_ ? scene_->shared_run() : nullptr;
  const RungInfo& rung = info().rungs[std::size_t(rung_index())];
  const std::string file = code_file();
  const std::string before =
      rung_index() > 0 && file == rung.file ? info().rungs[std::size_t(rung_index() - 1)].file : "";
  if (code_text_.file != file || code_text_.before != before || code_text_.plain != plain_source ||
      !is_of(code_text_.run, run)) {
    code_text_ = make_code_text(source(file), before.empty() ? nullptr : &source(before),
                                line_costs().of(run ? source_id(*run, file) : 0));
    code_text_.file = file, code_text_.before = before, code_text_.plain = plain_source;
    code_text_.run = run;
  }
  return code_text_;
}

}  // namespace lockstep
