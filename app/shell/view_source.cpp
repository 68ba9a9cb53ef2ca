// The kernel's source with the current line lit and the lines marked that are new since the rung before.
#include <algorithm>

#include "app/draw/controls.hpp"
#include "kernels/ladder.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view trimmed(std::string_view line) {
  const auto first = line.find_first_not_of(' ');
  return first == line.npos ? std::string_view{} : line.substr(first);
}

// One row on screen: a line, or what did not fit of it, indented further.
struct Row {
  int line = 0;  // from 1; 0 = the continuation of the line above
  std::string text;
  int of_line = 0;
};

constexpr std::size_t kHang = 4;  // further indentation of what did not fit

// Lines broken at a space before `columns` (at least 16), else at `columns`.
std::vector<Row> wrapped(const std::vector<std::string_view>& lines, std::size_t columns) {
  std::vector<Row> rows;
  for (int i = 0; i < int(lines.size()); ++i) {
    std::string rest(lines[std::size_t(i)]);
    const std::size_t indent = std::min(rest.find_first_not_of(' '), columns / 2);
    int number = i + 1;
    while (rest.size() > columns) {
      std::size_t cut = rest.rfind(' ', columns);
      if (cut == rest.npos || cut <= indent + kHang)
        cut = columns;  // a space of the indentation is no place to break
      rows.push_back({number, rest.substr(0, cut), i + 1});
      rest = std::string(indent + kHang, ' ') + rest.substr(rest[cut] == ' ' ? cut + 1 : cut);
      number = 0;
    }
    rows.push_back({number, rest, i + 1});
  }
  return rows;
}

// The first line that is neither a comment nor a directive.
int first_code_line(const std::vector<std::string_view>& lines) {
  for (int i = 0; i < int(lines.size()); ++i)
    if (const auto t = trimmed(lines[std::size_t(i)]);
        !t.empty() && !t.starts_with("//") && !t.starts_with("#"))
      return i + 1;
  return 1;
}

// The lines of this step, ascending; none where the step is another file's.
std::vector<int> lit_lines(const App& app, const std::string& file) {
  if (!app.has_steps() || app.run()->request.rung != app.state().rung) return {};
  const SourceLines lit = app.scene()->axis().lines(app.state().step);
  if (lit.file != source_id(*app.run(), file)) return {};
  return {lit.lines.begin(), lit.lines.end()};
}

}  // namespace

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

void draw_source_panel(Canvas& canvas, App& app, Rect r) {
  const Theme theme = app.theme();
  const auto& rungs = app.info().rungs;
  const int rung = app.rung_index();
  const std::string& own = rungs[std::size_t(rung)].file;
  const std::string other = app.scene() ? app.scene()->shown_source() : "";
  const std::string& file = other.empty() ? own : other;
  const PlainKernel& source = app.source(file);
  const Rect inside = draw_panel(canvas, theme, r, tr("KERNEL {0}", {file}));
  const TextStyle style{Font::mono, 10.5f * theme.type, theme.ink};
  const float advance = canvas.measure("0", style), step = 16 * theme.type, gutter = 3.2f * advance;
  const auto columns = std::size_t(std::max(16.f, (inside.w - gutter) / advance));
  const auto lines = lines_of(source.text);
  const auto rows = wrapped(lines, columns);
  const auto fresh = rung > 0 && file == own
                         ? new_lines(app.source(rungs[std::size_t(rung - 1)].file).text, source.text)
                         : std::vector<bool>(lines.size(), false);
  auto lit = lit_lines(app, file);
  for (int& line : lit) line = source.plain_line(line);
  const int visible = std::max(1, int(inside.h / step));
  const int wanted = lit.empty() ? first_code_line(lines) : (lit.front() + lit.back()) / 2;
  int first = 0;
  while (first < int(rows.size()) && rows[std::size_t(first)].of_line < wanted) ++first;
  first = std::clamp(first - (lit.empty() ? 0 : visible / 2), 0, std::max(0, int(rows.size()) - visible));
  canvas.push_clip({r.x + 1, inside.y - 2, r.w - 2, inside.h + 4});
  for (int i = first; i < std::min(int(rows.size()), first + visible); ++i) {
    const Row& row = rows[std::size_t(i)];
    const float y = inside.y + (float(i - first) + 0.5f) * step;
    if (std::find(lit.begin(), lit.end(), row.of_line) != lit.end())
      canvas.fill_rect({inside.x - 6, y - step / 2, inside.w + 12, step}, theme.highlight, 2);
    if (fresh[std::size_t(row.of_line - 1)] && !lines[std::size_t(row.of_line - 1)].empty())
      canvas.fill_rect({r.x + 5, y - step / 2, 3, step}, color::shared);
    // The kernel file's numbers in either text: sentences name those.
    if (const int number = row.line ? source.kernel_line(row.line) : 0; number > 0)
      canvas.text({inside.x + gutter - advance, y}, std::to_string(number),
                  {Font::mono, 9.5f * theme.type, theme.dim, Align::right});
    const bool comment = trimmed(lines[std::size_t(row.of_line - 1)]).starts_with("//");
    canvas.text({inside.x + gutter, y}, row.text,
                {Font::mono, 10.5f * theme.type, comment ? theme.dim : theme.ink});
  }
  canvas.pop_clip();
  if (canvas.hit("kernel", {r.x, r.y, r.w, panel_title_height(theme)}).hovered)
    canvas.tooltip(
        app.plain_source
            ? tr("as plain CUDA, line by line; P shows the very text that is compiled. Lines with a bar "
                 "are new since the rung before")
            : tr("the very text that is compiled; P shows it as plain CUDA. Lines with a bar are new "
                 "since the rung before"));
}

}  // namespace lockstep
