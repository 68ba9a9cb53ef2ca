// Below the editor of a reader's program: what was found in it or why it does not compile, what it printed,
// and what it is given.
#include <algorithm>
#include <iterator>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/text_field.hpp"
#include "app/labs/story.hpp"
#include "app/program/finding_kinds.hpp"
#include "view_program.hpp"

namespace lockstep {

std::string finding_kind_text(const std::string& kind) {
  const char* title = reader::title_of_kind(kind);
  return title ? tr(title) : kind;
}

std::string finding_place_text(const ProgramDesk& desk, const reader::ProgramFinding& f) {
  const auto line = [&](const std::string& file, int number) {
    return desk.is_this_file(file) ? tr("line {0}", {number_text(number)})
                                   : tr("{0}, line {1}", {file, number_text(number)});
  };
  std::string text = f.line > 0 ? line(f.file, f.line) : "";
  if (f.other_line > 0 && f.other_line != f.line)
    text = tr("{0} against {1}", {text, line(f.other_file.empty() ? f.file : f.other_file, f.other_line)});
  if (f.launch >= 0 && f.launch < int(desk.run()->launches.size()))
    text += (text.empty() ? "" : " · ") +
            tr("block {0}", {block_text(desk.run()->launches[std::size_t(f.launch)].launch, f.block)});
  if (f.times > 1) text += " · " + tr("{0} times", {grouped(f.times)});
  return text;
}

std::string diagnostic_text(const reader::Diagnostic& d) {
  return d.message.id.empty() ? d.compiler : tr(d.message);
}

namespace {

struct DrawerTab {
  ProgramDesk::Tab tab;
  const char* id;
  std::string title;
};

std::vector<DrawerTab> tabs_of(const ProgramDesk& desk) {
  const auto errors = std::count_if(desk.diagnostics().begin(), desk.diagnostics().end(),
                                    [](const auto& d) { return d.severity == reader::Severity::error; });
  std::string first = desk.findings().empty()
                          ? tr("Findings")
                          : tr("Findings {0}", {grouped(std::int64_t(desk.findings().size()))});
  if (errors > 0) first = tr("Errors {0}", {grouped(errors)});
  return {{ProgramDesk::Tab::findings, "drawer/findings", first},
          {ProgramDesk::Tab::output, "drawer/output", tr("Output")},
          {ProgramDesk::Tab::arguments, "drawer/arguments", tr("Arguments")}};
}

float draw_tabs(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme) {
  const float type = theme.type, height = 24 * type;
  float x = r.x + 14 * type;
  for (const DrawerTab& tab : tabs_of(desk)) {
    const bool on = tab.tab == desk.tab;
    const TextStyle style{on ? Font::words_semibold : Font::words, 12.5f * type, on ? theme.ink : theme.dim};
    const float w = canvas.measure(tab.title, {Font::words_semibold, 12.5f * type, {}});
    const Rect box{x - 4, r.y + 2, w + 8, height - 2};
    const Hit hit = canvas.hit(tab.id, box, true);
    canvas.text({x, r.y + height / 2}, tab.title,
                {style.font, style.size, hit.hovered ? theme.ink : style.color});
    if (on) canvas.fill_rect({x, r.y + height - 2, w, 2}, theme.ink, 1);
    if (hit.focused) draw_focus_ring(canvas, theme, box, 4);
    if (hit.clicked) desk.tab = tab.tab, desk.drawer_scroll = 0;
    x += w + 22 * type;
  }
  return height;
}

// What can be scrolled in r; `height` is all of it.
float scrolled(Canvas& canvas, ProgramDesk& desk, Rect r, float height, const Theme& theme) {
  const Hit wheel = canvas.hit("drawer", r);
  const float most = std::max(0.f, height - r.h);
  desk.drawer_scroll = std::clamp(desk.drawer_scroll - wheel.wheel * 36, 0.f, most);
  if (most > 0 && canvas.interactive()) {
    const float bar = std::max(12.f, r.h * r.h / height);
    canvas.fill_rect({r.right() - 5, r.y + (r.h - bar) * desk.drawer_scroll / most, 3, bar}, theme.line,
                     1.5f);
  }
  return r.y - desk.drawer_scroll;
}

// One thing that is wrong: its kind and place, and below it the sentence.
struct Wrong {
  std::string id, kind, place, text;
  bool chosen = false;
};

void draw_wrongs(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme, const std::vector<Wrong>& all,
                 const std::function<void(int)>& choose) {
  const float type = theme.type, step = 16 * type, pad = 13 * type, width = r.w - 2 * pad - 10;
  const TextStyle kind{Font::words_semibold, 12.5f * type, theme.readable(color::trouble)},
      words{Font::words, 11.5f * type, theme.ink};
  const auto height_of = [&](const Wrong& w) {
    return 24 * type + float(canvas.count_lines(w.text, words, width)) * step + 4 * type;
  };
  float height = 0;
  for (const Wrong& w : all) height += height_of(w) + 4;
  float y = scrolled(canvas, desk, r, height, theme);
  for (int i = 0; i < int(all.size()); ++i) {
    const Wrong& w = all[std::size_t(i)];
    const Rect box{r.x, y, r.w - 8, height_of(w)};
    const Hit hit = canvas.hit(w.id, box, true);
    canvas.fill_rect(box, hit.hovered ? mix(theme.soft, theme.ink, 0.05f) : theme.soft, 4);
    canvas.fill_rect({box.x, box.y, 3, box.h}, color::trouble);
    canvas.text_fit({box.x + pad, box.y + 12 * type}, w.kind, kind, width);
    const float x = box.x + pad + canvas.measure(w.kind, kind) + 12 * type;
    canvas.text_fit({x, box.y + 12 * type}, w.place, kind, box.right() - x - 8);
    canvas.text_wrap({box.x + pad, box.y + 21 * type}, w.text, words, width, step);
    if (hit.focused) draw_focus_ring(canvas, theme, box, 4);
    if (hit.clicked) choose(i);
    y += box.h + 4;
  }
}

void draw_findings(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme) {
  std::vector<Wrong> all;
  if (reader::has_error(desk.diagnostics()) || desk.findings().empty()) {
    const auto& list = desk.diagnostics();
    std::vector<int> index;
    for (int i = 0; i < int(list.size()); ++i) {
      const reader::Diagnostic& d = list[std::size_t(i)];
      index.push_back(i);
      all.push_back(
          {"diagnostic/" + std::to_string(i),
           d.severity == reader::Severity::error ? tr("does not compile") : tr("warning"),
           desk.is_this_file(d.file) ? tr("line {0}", {number_text(d.line)})
                                     : tr("{0}, line {1}", {d.file, number_text(d.line)}),
           diagnostic_text(d) + (d.message.id.empty() || d.compiler.empty() ? "" : "  (" + d.compiler + ")"),
           false});
    }
    if (!all.empty())
      return draw_wrongs(canvas, desk, r, theme, all, [&](int i) {
        const reader::Diagnostic& d = desk.diagnostics()[std::size_t(index[std::size_t(i)])];
        if (desk.is_this_file(d.file) && d.line > 0) desk.edit.go_to_line(d.line - 1), desk.focused = true;
      });
  }
  // The chosen one stands first.
  std::vector<int> order;
  for (int i = 0; i < int(desk.findings().size()); ++i) order.push_back(i);
  if (desk.finding < int(order.size()))
    std::rotate(order.begin(), order.begin() + desk.finding, order.begin() + desk.finding + 1);
  for (const int i : order) {
    const reader::ProgramFinding& f = desk.findings()[std::size_t(i)];
    all.push_back({"finding/" + std::to_string(i), finding_kind_text(f.kind), finding_place_text(desk, f),
                   tr(f.message), i == desk.finding});
  }
  if (all.empty()) {
    const float type = theme.type;
    const std::string text = !desk.run() ? tr("What is wrong with the program stands here once it has run.")
                                         : tr("Nothing was found: no race, no access out of bounds and no "
                                              "value that was never set, in all "
                                              "that was traced.");
    canvas.text_wrap({r.x + 2, r.y + 2}, text, {Font::words, 11.5f * type, theme.dim}, r.w - 12, 16 * type);
    return;
  }
  draw_wrongs(canvas, desk, r, theme, all,
              [&](int i) { desk.take_finding(order[std::size_t(i)]), desk.drawer_scroll = 0; });
}

std::vector<std::string> output_lines(const ProgramDesk& desk) {
  std::vector<std::string> lines;
  const reader::ProgramRun* run = desk.run();
  if (!run) return {tr("What the program prints stands here once it has run.")};
  for (std::size_t at = 0; at < run->output.size();) {
    const std::size_t end = std::min(run->output.find('\n', at), run->output.size());
    lines.push_back(run->output.substr(at, end - at));
    at = end + 1;
  }
  if (run->output_cut) lines.push_back(tr("… more was printed, and not kept"));
  lines.push_back(run->ended.id.empty() ? tr("exit code {0}", {number_text(run->exit_code)})
                                        : tr(run->ended));
  for (const Message& note : run->notes) lines.push_back(tr(note));
  return lines;
}

void draw_output(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme) {
  const float type = theme.type, step = 16 * type;
  const auto lines = output_lines(desk);
  const std::size_t said = desk.run() ? desk.run()->notes.size() + 1 : 1;  // not by the program
  const float y = scrolled(canvas, desk, r, float(lines.size()) * step, theme);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const float middle = y + (float(i) + 0.5f) * step;
    if (middle < r.y - step || middle > r.bottom() + step) continue;
    const bool ours = i + said >= lines.size();
    canvas.text_fit({r.x + 2, middle}, lines[i],
                    {ours ? Font::words : Font::mono, 11.5f * type, ours ? theme.dim : theme.ink}, r.w - 14);
  }
}

struct GivenField {
  ProgramDesk::Field field;
  const char *id, *label, *hint;
};
const GivenField kGiven[] = {
    {ProgramDesk::Field::arguments, "program/arguments", N_("arguments"),
     N_("words after the program's name")},
    {ProgramDesk::Field::input, "program/input", N_("standard input"), N_("a file beside the program")},
    {ProgramDesk::Field::sources, "program/sources", N_("further sources"), N_("other .cu and .cpp files")},
    {ProgramDesk::Field::block, "program/block", N_("followed block"), N_("0, or 2,1")}};

// What is typed is taken by Enter; the drawer may be too low for all of it.
void draw_given(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme, bool caret) {
  const float type = theme.type, row = 30 * type, gap = 16 * type, half = (r.w - 14 - gap) / 2;
  const TextStyle words{Font::words, 11.5f * type, theme.dim};
  float label_w = 0;
  for (const GivenField& given : kGiven) label_w = std::max(label_w, canvas.measure(tr(given.label), words));
  const float y = scrolled(canvas, desk, r, 2 * row + 18 * type, theme);
  for (std::size_t i = 0; i < std::size(kGiven); ++i) {
    const GivenField& given = kGiven[i];
    const Rect box{r.x + 2 + float(i % 2) * (half + gap), y + float(i / 2) * row, half, 26 * type};
    canvas.text_fit({box.x, box.center().y}, tr(given.label), words, label_w + 1);
    FieldLook look;
    const std::string hint = tr(given.hint);
    look.font = Font::mono, look.size = 11.4f, look.focused = desk.typed_field == given.field;
    look.caret = caret, look.hint = hint;
    const Rect field{box.x + label_w + 10 * type, box.y, box.w - label_w - 10 * type, box.h};
    desk.field_areas[std::size_t(given.field)] = field;
    const Hit hit = draw_text_field(canvas, theme, given.id, field, desk.text_of(given.field), look);
    if (hit.clicked || hit.pressed) desk.focus_field(given.field);
  }
  const std::string said = desk.field_fault
                               ? tr(*desk.field_fault)
                               : tr("Enter runs it again. Spaces separate words, quotes keep them together.");
  canvas.text_fit({r.x + 2, y + 2 * row + 7 * type}, said,
                  {Font::words, 11 * type, desk.field_fault ? theme.readable(color::trouble) : theme.dim},
                  r.w - 14);
}

}  // namespace

void draw_drawer(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme, bool caret) {
  canvas.fill_rect({r.x, r.y, r.w, r.h}, theme.panel, kCorner);
  canvas.line({r.x, r.y}, {r.right(), r.y}, theme.line);
  const float tabs = draw_tabs(canvas, desk, r, theme);
  const Rect body{r.x + 12, r.y + tabs + 6, r.w - 16, r.h - tabs - 12};
  canvas.push_clip({body.x - 2, body.y, body.w + 2, body.h});
  switch (desk.tab) {
    case ProgramDesk::Tab::findings:
      draw_findings(canvas, desk, body, theme);
      break;
    case ProgramDesk::Tab::output:
      draw_output(canvas, desk, body, theme);
      break;
    case ProgramDesk::Tab::arguments:
      draw_given(canvas, desk, body, theme, caret);
      break;
  }
  canvas.pop_clip();
}

}  // namespace lockstep
