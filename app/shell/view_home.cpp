// The home: what the program opens with. Go on, start, open a file; and a card for each lab, with a picture
// that the lab draws of its own run.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/draw/canvas_prefix.hpp"
#include "app/draw/controls.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

// Everything in logical pixels of the page, which scrolls as one.
struct HomeLayout {
  float x = 0, w = 0;  // of all that stands on the page
  float title_y = 0, machine_y = 0, entries_y = 0, cards_y = 0, find_y = 0, height = 0;
  float entry_w = 0, entry_h = 0, card_w = 0, card_h = 0, picture_h = 0, gap = 0, pad = 0;
  int columns = 1;
  Rect entry(int i) const { return {x + float(i) * (entry_w + gap), entries_y, entry_w, entry_h}; }
  Rect card(int i) const {
    return {x + float(i % columns) * (card_w + gap), cards_y + float(i / columns) * (card_h + gap), card_w,
            card_h};
  }
};

constexpr float kMachineStep = 20;  // from line to line

// The page with so many columns of cards.
HomeLayout lay_out_home(Rect page, int entries, int columns, float edge, int machine_lines, float type) {
  constexpr float kPictureShare = 0.325f, kEntry = 64, kUnderPicture = 86, kFindLine = 32;
  const int cards = int(labs().size());
  HomeLayout l;
  l.gap = 16 * std::min(type, 1.2f), l.pad = 16 * std::min(type, 1.2f);
  l.x = page.x + edge, l.w = page.w - 2 * edge;
  l.columns = columns;
  l.card_w = (l.w - float(l.columns - 1) * l.gap) / float(l.columns);
  l.picture_h = l.card_w * kPictureShare;
  l.card_h = l.picture_h + kUnderPicture * type;
  l.entry_w = (l.w - float(entries - 1) * l.gap) / float(entries);
  if (l.columns >= entries) l.entry_w = l.card_w;  // one grid
  l.entry_h = kEntry * type;
  const float above = page.h < 800 ? 44 : 73;
  l.title_y = page.y + above * std::min(type, 1.2f);
  l.machine_y = l.title_y + 38 * type;
  l.entries_y = l.machine_y + 29 * type + float(machine_lines - 1) * kMachineStep * type;
  l.cards_y = l.entries_y + l.entry_h + 28;
  const int rows = (cards + l.columns - 1) / l.columns;
  const float end = l.cards_y + float(rows) * (l.card_h + l.gap);
  l.find_y = std::max(end + 14 * type, page.bottom() - kFindLine * type);
  l.height = l.find_y + kFindLine * type - page.y;
  return l;
}

// Cards as large as all of them stay in sight; where they cannot, as many columns as can be read.
HomeLayout lay_out_home(Rect page, int entries, float edge, int machine_lines, float type) {
  constexpr float kLeastCard = 300;
  HomeLayout l;
  for (int columns = 1;; ++columns) {
    const HomeLayout next = lay_out_home(page, entries, columns, edge, machine_lines, type);
    if (columns > 1 && next.card_w < kLeastCard * type) return l;
    l = next;
    if (l.height <= page.h + 0.5f) return l;
  }
}

// --- what this machine has

const Runner::EngineState* working(const std::vector<Runner::EngineState>& engines, EngineKind kind) {
  for (const auto& engine : engines)
    if (engine.kind == kind && engine.ok) return &engine;
  return nullptr;
}

std::string machine_text(const App& app) {
  const auto engines = app.engines();
  const auto* emulator = working(engines, EngineKind::emulator);
  if (!emulator) return app.runner() ? tr("Looking at what this machine has…") : "";
  const std::string cores =
      emulator->threads == 1 ? tr("one core") : tr("{0} cores", {std::to_string(emulator->threads)});
  const auto* gpu = working(engines, EngineKind::cuda);
  const auto* recordings = working(engines, EngineKind::recording);
  if (gpu && recordings)
    return tr("This machine: {0}, the emulator on {1}, and recordings from {2}.",
              {gpu->device, cores, recordings->device});
  if (gpu) return tr("This machine: {0}, and the emulator on {1}.", {gpu->device, cores});
  if (recordings)
    return tr("This machine: the emulator on {0}, and recordings from {1}. Nothing here needs a GPU.",
              {cores, recordings->device});
  return tr("This machine: the emulator on {0}. Nothing here needs a GPU.", {cores});
}

// --- entries

struct Entry {
  const char* id;
  std::string title, detail;
  void (*choose)(App& app);
};

// "6 labs, about an hour", then where its reader is on the way.
std::string path_text(const App& app) {
  const int labs = int(path_labs().size()), done = app.labs_done_on_path();
  const std::string all = std::to_string(labs);
  if (const Lab* next = app.next_on_path(); done > 0 && next)
    return tr("{0} of {1} labs done; next: {2}", {std::to_string(done), all, tr(next->info().title)});
  if (done == labs) return tr("all {0} labs done ✓", {all});
  int minutes = 0;
  for (const Lab* lab : path_labs())
    if (const Story* story = app.story_of(lab->info().slug)) minutes += story->minutes;
  constexpr int kHour = 60, kAbout = 15;
  if (std::abs(minutes - kHour) <= kAbout) return tr("{0} labs, about an hour", {all});
  if (minutes == 0) return tr("{0} labs", {all});
  return tr("{0} labs, about {1} minutes", {all, std::to_string(minutes)});
}

std::vector<Entry> entries_of(const App& app) {
  std::vector<Entry> entries;
  if (app.can_go_on())
    entries.push_back({"home/continue", tr("Continue"), app.place_text(), [](App& a) { a.go_on(); }});
  entries.push_back({"home/start",
                     app.labs_done_on_path() > 0 ? tr("Next on the path") : tr("Start at the beginning"),
                     path_text(app), [](App& a) { a.start_path(); }});
  const auto& programs = app.settings().programs;
  if (!app.runner() || app.runner()->programs())
    entries.push_back({"home/program", tr("Open a CUDA program"),
                       programs.empty()
                           ? tr("your own file, without a GPU")
                           : tr("again: {0}", {programs.front().substr(programs.front().rfind('/') + 1)}),
                       [](App& a) { a.open_menu(MenuKind::program); }});
  constexpr std::size_t kMostEntries = 4;  // one row; Ctrl+O opens files as well
  if (app.exercises() && !app.exercises()->all().empty())
    entries.push_back({"home/exercises", tr("Exercises"),
                       tr("{0} of {1} done", {std::to_string(app.exercises()->finished()),
                                              std::to_string(app.exercises()->all().size())}),
                       [](App& a) { a.open_list(ListPage::exercises); }});
  if (entries.size() < kMostEntries && (app.runner() || !app.can_go_on()))
    entries.push_back({"home/open", tr("Open a run or a scene"), tr("Ctrl+O, or drop the file here"),
                       [](App& a) { a.open_menu(MenuKind::open); }});
  return entries;
}

// Drawn, and true when it was clicked. `accent`: what one would press next.
bool draw_entry(Canvas& canvas, App& app, const Entry& entry, Rect r, bool accent, const Theme& theme) {
  const float type = theme.type, pad = 16 * std::min(type, 1.2f);
  const Hit hit = canvas.hit(entry.id, r, true);
  const Color white = Color::hex(0xFFFFFF);
  Color fill = accent ? theme.accent : theme.panel;
  if (hit.hovered) fill = mix(fill, accent ? white : theme.ink, accent ? 0.1f : 0.04f);
  canvas.fill_rect(r, fill, kCorner);
  if (!accent) canvas.stroke_rect(r, theme.line, 1, kCorner);
  canvas.text_fit({r.x + pad, r.y + 22 * type}, entry.title,
                  {Font::words_semibold, 15 * type, accent ? white : theme.ink}, r.w - 2 * pad);
  canvas.text_fit({r.x + pad, r.y + 44 * type}, entry.detail,
                  {Font::words, 12.5f * type, accent ? white : theme.dim}, r.w - 2 * pad);
  if (hit.focused) draw_focus_ring(canvas, theme, r), app.home_focus = entry.id;
  app.home_stops.push_back({entry.id, r});
  return hit.clicked;
}

// --- cards

// Until its picture is there: the first lab that lacks one is the one that runs.
std::string placeholder_text(const App& app, const Lab& lab) {
  if (!app.runner()) return tr("no picture");
  const Request request = opening_request(lab);
  const auto lacks = [&](const Lab* other) { return app.cards().of(other->info().slug).run == nullptr; };
  const auto first = std::find_if(labs().begin(), labs().end(), [&](const Lab* other) {
    return lacks(other) && !app.cards().of(other->info().slug).problem;
  });
  const bool runs = first == labs().end() || *first == &lab;
  return runs ? tr("running {0}…", {request.lab + "/" + request.rung})
              : tr("{0} is waiting for its turn", {request.lab + "/" + request.rung});
}

void draw_card_picture(Canvas& canvas, const App& app, const Lab& lab, Rect r, const Theme& theme) {
  const HomeCards::Card& card = app.cards().of(lab.info().slug);
  const TextStyle quiet{Font::words, 12 * theme.type, theme.dim, Align::center};
  if (card.problem) {
    canvas.text_fit(r.center(), tr("no picture: {0}", {tr(*card.problem)}), quiet, r.w);
    return;
  }
  if (!card.scene) {
    canvas.fill_rect(r, mix(theme.panel, theme.soft, 0.5f), 4);
    canvas.text_fit(r.center(), placeholder_text(app, lab), quiet, r.w - 16);
    return;
  }
  if (!App::has_steps(*card.scene)) return;
  StillCanvas still(canvas, "card/" + lab.info().slug + "/");
  const std::int64_t warp = card.run->request.warp;
  LabView view{card.scene->opening_step(warp), warp};
  still.push_clip(r);
  card.scene->card(still, {view, r, theme});
  still.pop_clip();
}

// Behind the title: which lab of the way from the beginning this is.
void draw_path_place(Canvas& canvas, const Lab& lab, Vec2 left, float room, const Theme& theme) {
  const auto& path = path_labs();
  const auto at = std::find(path.begin(), path.end(), &lab);
  if (at == path.end()) return;
  const float type = theme.type;
  const float title = canvas.measure(tr(lab.info().title), {Font::words_semibold, 15 * type, {}});
  const TextStyle style{Font::words, 11 * type, theme.dim};
  const std::string text = tr("number {0} of {1} on the path from the beginning",
                              {std::to_string(at - path.begin() + 1), std::to_string(path.size())});
  const std::string number = std::to_string(at - path.begin() + 1);
  const float x = left.x + title + 16 * type, w = canvas.measure(number, style);
  if (x + w + 8 * type > left.x + room) return;
  canvas.stroke_circle({x + w / 2, left.y}, 8 * type, theme.line, 1.2f);
  canvas.text({x + w / 2, left.y}, number, {style.font, style.size, style.color, Align::center});
  canvas.hint({x - 6 * type, left.y - 9 * type, w + 12 * type, 18 * type}, text);
}

void draw_lab_card(Canvas& canvas, App& app, const Lab& lab, Rect r, const HomeLayout& l,
                   const Theme& theme) {
  const float type = theme.type, width = r.w - 2 * l.pad;
  const std::string id = "home/card/" + lab.info().slug;
  const Hit hit = canvas.hit(id, r, true);
  canvas.fill_rect(r, theme.panel, kCorner);
  canvas.stroke_rect(r, hit.hovered ? theme.dim : theme.line, 1, kCorner);
  draw_card_picture(canvas, app, lab, {r.x + l.pad, r.y + l.pad, width, l.picture_h}, theme);
  const float under = r.y + l.pad + l.picture_h;
  float title_w = width;
  if (const auto progress = app.story_progress(lab.info().slug); progress.done > 0) {
    const TextStyle style{Font::words, 11.5f * type, theme.dim, Align::right};
    const std::string text =
        progress.finished()
            ? "✓"
            : tr("{0} of {1}", {std::to_string(progress.done), std::to_string(progress.scenes)});
    canvas.text({r.right() - l.pad, under + 20 * type}, text, style);
    title_w -= canvas.measure(text, style) + 8;
  }
  draw_path_place(canvas, lab, {r.x + l.pad, under + 20 * type}, title_w, theme);
  canvas.text_fit({r.x + l.pad, under + 20 * type}, tr(lab.info().title),
                  {Font::words_semibold, 15 * type, theme.ink}, title_w);
  const std::string question = tr(lab.info().question);
  const TextStyle style{Font::words, 11.5f * type, theme.dim};
  if (canvas.count_lines(question, style, width) == 2)
    canvas.text_wrap({r.x + l.pad, under + 31 * type}, question, style, width, 15 * type);
  else
    canvas.text_fit({r.x + l.pad, under + 43 * type}, question, style, width);
  if (hit.focused) draw_focus_ring(canvas, theme, r), app.home_focus = id;
  app.home_stops.push_back({id, r});
  if (hit.clicked) app.choose_lab(lab.info().slug);
}

void draw_find_line(Canvas& canvas, App& app, const HomeLayout& l, const Theme& theme) {
  const std::string text =
      tr("/ finds anything: a lab, a rung, a parameter, a word such as “sector”. G is the glossary.");
  const TextStyle style{Font::words, 12.5f * theme.type, theme.dim};
  const Rect r{l.x - 6, l.find_y - 12 * theme.type, std::min(l.w, canvas.measure(text, style)) + 12,
               24 * theme.type};
  const Hit hit = canvas.hit("home/find", r, true);
  canvas.text_fit({l.x, l.find_y}, text, {style.font, style.size, hit.hovered ? theme.ink : theme.dim}, l.w);
  if (hit.focused) draw_focus_ring(canvas, theme, r, 4), app.home_focus = "home/find";
  app.home_stops.push_back({"home/find", r});
  if (hit.clicked) app.open_menu(MenuKind::find);
}

void draw_scrollbar(Canvas& canvas, Rect page, float scroll, float height, const Theme& theme) {
  const float bar = page.h * page.h / height;
  canvas.fill_rect({page.right() - 8, page.y + (page.h - bar) * scroll / (height - page.h), 4, bar},
                   mix(theme.line, theme.dim, 0.5f), 2);
}

}  // namespace

std::string home_title() { return tr("Real CUDA kernels, one step at a time."); }

void draw_home(Canvas& canvas, App& app, Rect page) {
  const Theme theme = app.theme();
  const float type = theme.type;
  const auto entries = entries_of(app);
  const float edge = page.w < 1100 ? 32 : 48;
  const float banner = draw_banner(canvas, app, {page.x + edge - 28, page.y, page.w - edge, page.h}, theme);
  page.y += banner, page.h -= banner;
  const std::string machine = machine_text(app);
  const TextStyle machine_style{Font::words, 13.5f * type, theme.dim};
  const int lines = canvas.count_lines(machine, machine_style, page.w - 2 * edge);
  HomeLayout l = lay_out_home(page, int(entries.size()), edge, std::max(1, lines), type);
  canvas.push_clip(page);
  const float most = std::max(0.f, l.height - page.h);
  if (const Hit wheel = canvas.hit("home", page); wheel.wheel != 0) app.home_scroll -= wheel.wheel * 60;
  app.home_scroll = std::clamp(scrolled_to_focus(canvas, page, app.home_scroll), 0.f, most);
  for (float* y : {&l.title_y, &l.machine_y, &l.entries_y, &l.cards_y, &l.find_y}) *y -= app.home_scroll;
  canvas.text_fit({l.x, l.title_y}, home_title(), {Font::words_semibold, 26 * type, theme.ink}, l.w);
  canvas.text_wrap({l.x, l.machine_y - kMachineStep * type / 2}, machine, machine_style, l.w,
                   kMachineStep * type);
  app.home_stops.clear(), app.home_focus.clear();
  for (int i = 0; i < int(entries.size()); ++i)
    if (draw_entry(canvas, app, entries[std::size_t(i)], l.entry(i), i == 0, theme))
      entries[std::size_t(i)].choose(app);
  for (int i = 0; i < int(labs().size()); ++i)
    draw_lab_card(canvas, app, *labs()[std::size_t(i)], l.card(i), l, theme);
  draw_find_line(canvas, app, l, theme);
  if (most > 0) draw_scrollbar(canvas, page, app.home_scroll, l.height, theme);
  canvas.pop_clip();
}

}  // namespace lockstep
