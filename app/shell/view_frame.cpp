// The frame around the stage: layout, figure, help.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "app/draw/controls.hpp"
#include "view_lists.hpp"
#include "view_program.hpp"
#include "views.hpp"

namespace lockstep {

Layout lay_out(const App& app, Rect w) {
  const Theme theme = app.theme();
  const float type = theme.type, grow = 1 + (type - 1) * 0.6f;
  constexpr float kLeastStage = 540, kLeastRight = 300, kFoldedRail = 64, kLow = 800;
  const Settings& kept = app.settings();
  Layout l;
  float rail = std::min(kept.rail_width * grow, w.w * 0.2f);
  const bool home = app.state().home || app.shows_program();  // no stage beside a kernel
  const float least = (app.comparing() && !home ? 2 : 1) * kLeastStage * type;
  const float wanted = home ? 0 : kept.lesson_width * grow;
  l.folded = w.w - rail - wanted < least;  // the stage and the kernel come first
  if (l.folded) rail = kFoldedRail * grow;
  const float right =
      std::max(std::min(wanted, w.w - rail - least), std::min(kLeastRight * grow, w.w * 0.3f));
  const float top = 48 * grow, bottom = 74 * grow;
  l.low = w.h < kLow * grow;
  l.rail = {w.x, w.y, rail, w.h};
  l.switches_height = rail_switches_height(l.folded, type);
  l.top = {w.x + rail, w.y, w.w - rail, top};
  const float ladder = ladder_height(app, theme, l.low);
  l.ladder = {w.x + rail + 14, w.y + top + (ladder > 0 ? 6 : 0), w.w - rail - 28, ladder};
  const float under = top + (ladder > 0 ? ladder + 8 : 0);
  l.bottom = {w.x + rail, w.bottom() - bottom, w.w - rail, bottom};
  l.right = {w.right() - right, w.y + under, right, w.h - under - bottom};
  l.stage = {w.x + rail, w.y + under, w.w - rail - right, w.h - under - bottom};
  return l;
}

namespace {

std::vector<KeyHelp> program_key_help() {
  return {{"Ctrl+S", tr("save the program")},
          {"Ctrl+F  Ctrl+G", tr("find in its text; go to a line")},
          {"Ctrl+Z  Ctrl+Y", tr("take back what was typed; forward again")},
          {"Ctrl+C  Ctrl+X  Ctrl+V", tr("copy, cut and paste text")},
          {"Ctrl+A", tr("select all of it")},
          {"Tab  Shift+Tab", tr("indent, or out again; else: to the next control")},
          {"Ctrl+Enter", tr("run now")},
          {"Ctrl+← →  Shift+arrows", tr("by words; select")},
          {"Esc", tr("leave the editor: the keys below work; then home")},
          {"Enter", tr("back into the editor")},
          {"← →  Shift ← →", tr("one step back or on; one phase")},
          {"↑ ↓", tr("the same access of another warp")},
          {"Home End", tr("first or last step")},
          {"Space", tr("play or pause")},
          {"[ ]  1 … 9", tr("another launch")},
          {"R", tr("run now")},
          {"F6", tr("findings, output, arguments")},
          {"A  B", tr("arguments for main(); the followed block")},
          {"S", tr("change an array's shape")},
          {"E", tr("run it on a GPU too, if nvcc is installed")},
          {"F11", tr("presentation: the stage in large type; Esc leaves it")},
          {"Ctrl+O", tr("open another program")},
          {"/", tr("find a lab, rung or parameter")},
          {"T  L  H", tr("light or dark; English or 中文; home")},
          {"Ctrl+Q", tr("quit")},
          {"?", tr("this page")}};
}

}  // namespace

std::vector<KeyHelp> key_help(const App& app) {
  if (app.shows_program()) return program_key_help();
  std::vector<KeyHelp> rows = {
      {"← →", tr("one step back or on")},
      {"Shift ← →", tr("one phase back or on")},
      {"PgUp PgDn",
       app.story() ? tr("the story's scene before, or the next one") : tr("one phase back or on")},
      {"↑ ↓", tr("the same access of another warp")},
      {"Home End", tr("first or last step")},
      {"Space", tr("play or pause")},
      {"[ ]  1 … 9", tr("another rung")},
      {"C", tr("compare with another rung or run; again: one run alone")},
      {"/", tr("find a lab, rung, parameter or word")},
      {"G", tr("the glossary, the words on screen first")},
      {"R", tr("run now")},
      {"Ctrl+Z  Ctrl+Y", tr("back to the state before; forward again")},
      {"Ctrl+C  Ctrl+V", tr("copy the scene as text, open a copied one")},
      {"Ctrl+Shift+C", tr("copy the command that draws this picture")},
      {"Ctrl+S  Ctrl+O", tr("save the scene, open a scene or a saved run")},
      {"Ctrl+E", tr("save a panel as a picture; so does a right click on it")},
      {"Tab  Shift+Tab", tr("to the next control, or the one before; arrows move a slider, Enter presses")},
      {"Ctrl+A  Ctrl+X  Delete", tr("in a field: select all, cut, erase")},
      {"F6", tr("the card's next tab")},
      {"P", tr("the kernel as plain CUDA, or as compiled")},
      {"T", tr("light or dark")},
      {"L", tr("English or 中文")},
      {"F11", tr("presentation: the stage in large type; Esc leaves it")},
      {"B", tr("presentation: a black screen until a key is pressed")},
      {"Z", tr("presentation: enlarge what the pointer is on")},
      {"H", tr("home, with every lab; there: back to where you were")},
      {"Esc", tr("close, cancel, unpin, leave the comparison; then home")},
      {"Ctrl+Q", tr("quit")},
      {"?", tr("this page")}};
  if (app.has_timeline)
    rows.insert(rows.begin(), {{"+ −  0", tr("timeline: closer, further away, all of it")},
                               {"Ctrl+arrows", tr("timeline: earlier, later, other lanes")},
                               {", .", tr("timeline: the span, or match, before or after")},
                               {"F  M", tr("timeline: search; measure from here, to here")}});
  if (app.tour())
    rows.insert(rows.begin(), {{"Backspace", tr("the scene as it was; again: as you left it")},
                               {"N", tr("notes on a second window, or none")}});
  if (app.state().projector) {  // what only the window has
    constexpr std::string_view kOfWindow[] = {"R",
                                              "Ctrl+Z",
                                              "Ctrl+C  Ctrl+V",
                                              "Ctrl+Shift+C",
                                              "Ctrl+S  Ctrl+O",
                                              "Tab  Shift+Tab",
                                              "Ctrl+A  Ctrl+X  Delete",
                                              "Ctrl+E",
                                              "H",
                                              "F6",
                                              "P",
                                              "Ctrl+Q"};
    std::erase_if(rows, [&](const auto& row) {
      return std::find(std::begin(kOfWindow), std::end(kOfWindow), row.keys) != std::end(kOfWindow);
    });
  }
  return rows;
}

void draw_help(Canvas& canvas, App& app, Rect w) {
  if (!app.help) return;
  const Theme theme = app.theme();
  const auto rows = key_help(app);
  const float edge = 62 * theme.type + 16, width = std::min(w.w - 80, 600 * theme.type),
              step = std::min(26 * theme.type, (w.h - 40 - edge) / float(rows.size())),
              height = step * float(rows.size()) + edge;
  canvas.fill_rect(w, Color{0, 0, 0, 110});
  const Rect box{w.center().x - width / 2, std::max(20.f, w.center().y - height / 2), width, height};
  canvas.fill_rect(box, theme.panel, 8);
  canvas.stroke_rect(box, theme.line, 1, 8);
  canvas.text({box.x + 28, box.y + 34 * theme.type}, tr("Keys"),
              {Font::words_semibold, 15 * theme.type, theme.ink});
  float y = box.y + 62 * theme.type + step / 2;
  for (const auto& [keys, meaning] : rows) {
    canvas.text_fit({box.x + 28, y}, keys, {Font::mono, 11.5f * theme.type, theme.ink}, width * 0.27f);
    canvas.text_fit({box.x + 28 + width * 0.29f, y}, meaning, {Font::words, 12.5f * theme.type, theme.dim},
                    width * 0.71f - 56);
    y += step;
  }
  if (canvas.hit("help", w).clicked) app.help = false;
}

namespace {

// A line that can be dragged, 6 px wide to the pointer; it moves by the arrows where it has the keyboard.
// Returns by how much it was dragged.
float splitter(Canvas& canvas, App& app, const char* id, Splitter which, float x, Rect span) {
  const Hit hit = canvas.hit(id, {x - 3, span.y, 6, span.h}, true);
  if (hit.hovered || hit.held || hit.focused)
    canvas.line({x, span.y}, {x, span.bottom()}, app.theme().readable(color::l2), 2);
  if (hit.focused) app.focused_splitter = which;
  return hit.held && !hit.pressed ? hit.pointer.x - x : 0;
}

void rail_splitter(Canvas& canvas, App& app, const Layout& l) {
  float& width = app.settings().rail_width;
  if (const float moved = splitter(canvas, app, "splitter/rail", Splitter::rail, l.rail.right(), l.rail))
    width = std::clamp(width + moved, kLeastRailWidth, kMostRailWidth);
}

// Stage, ladder and stepper as far as the story's open question tells them, and what its scene puts in front.
void draw_stage_told(Canvas& canvas, App& app, const Layout& l, const StoryMask& mask, const Theme& theme) {
  StoryCanvas told(canvas, mask);
  constexpr float kInset = 10;
  told.landmark("stage", l.stage.inset(kInset));
  draw_stage(told, app, l.stage);
  if (l.ladder.h > 0) told.landmark("ladder", l.ladder), draw_ladder(told, app, l.ladder, l.low);
  told.landmark("steps", l.bottom);
  draw_stepper(told, app, l.bottom);
  told.draw_veils(theme, hidden_words());
  draw_story_frame(canvas, app, theme, told.landmarks());
  explain_lines(canvas, app, theme, told.lines(), "stage", l.stage);
}

void draw_home_window(Canvas& canvas, App& app, const Layout& l, Rect window) {
  const Rect page{l.rail.right(), window.y, window.w - l.rail.w, window.h};
  if (app.state().page == ListPage::claims)
    draw_list_page(canvas, app, page, claims_list(app));
  else if (app.state().page == ListPage::exercises && app.exercises())
    draw_list_page(canvas, app, page, exercises_list(app));
  else
    draw_home(canvas, app, page);
  draw_rail(canvas, app, l.rail, l.folded);
  if (!l.folded) rail_splitter(canvas, app, l);
  draw_menu(canvas, app, l, window);
  draw_help(canvas, app, window);
}

void draw_program_window(Canvas& canvas, App& app, const Layout& l, Rect window) {
  Rect area{l.rail.right(), l.top.bottom(), window.w - l.rail.w, window.bottom() - l.top.bottom()};
  const float banner = draw_banner(canvas, app, area, app.theme());
  area.y += banner, area.h -= banner;
  draw_program(canvas, app, area);
  draw_rail(canvas, app, l.rail, l.folded);
  draw_program_bar(canvas, app, l.top);
  if (!l.folded) rail_splitter(canvas, app, l);
  draw_menu(canvas, app, l, window);
  draw_help(canvas, app, window);
}

}  // namespace

std::string hidden_words() { return tr("Here once the question is answered."); }

void draw_story_frame(Canvas& canvas, App& app, const Theme& theme, const std::vector<Landmark>& landmarks) {
  const std::string wanted = app.wanted_frame();
  if (wanted.empty()) return;
  const auto named = [&](const Landmark& one) { return one.name == wanted; };
  const auto at = std::find_if(landmarks.begin(), landmarks.end(), named);
  if (at == landmarks.end()) return;
  app.framed = true;
  constexpr float kAir = 5;
  canvas.stroke_rect(at->area.inset(-kAir), theme.ink.with_alpha(0.6f), 1.5f, kCorner + kAir);
}

void draw_app(Canvas& canvas, App& app, Rect window) {
  app.framed = false, app.shown_word.reset(), app.words_in_view.clear();
  app.focused_parameter.clear(), app.focused_splitter = Splitter::none, app.panel_areas.clear();
  app.view_width = int(window.w), app.view_height = int(window.h);
  if (app.state().projector && !app.state().home)
    return app.shows_program() ? draw_program_presentation(canvas, app, window)
                               : draw_presentation(canvas, app, window);
  const Theme theme = app.theme();
  const Layout l = lay_out(app, window);
  canvas.fill_rect(window, theme.ground);
  if (app.state().home) return draw_home_window(canvas, app, l, window);
  if (app.shows_program()) return draw_program_window(canvas, app, l, window);
  app.panel_areas = {{"stage", l.stage}, {"ladder", l.ladder}};
  const StoryMask mask = app.story_mask();
  draw_stage_told(canvas, app, l, mask, theme);
  draw_right_column(canvas, app, l.right, mask);
  draw_rail(canvas, app, l.rail, l.folded);
  draw_top_bar(canvas, app, l.top);
  Settings& kept = app.settings();
  if (!l.folded) rail_splitter(canvas, app, l);
  if (const float moved = splitter(canvas, app, "splitter/right", Splitter::lesson, l.right.x, l.right))
    kept.lesson_width = std::clamp(kept.lesson_width - moved, kLeastLessonWidth, kMostLessonWidth);
  draw_engine_list(canvas, app, l.top);
  if (app.menu.kind == MenuKind::none && !app.help) draw_shown_word(canvas, app, window);
  draw_menu(canvas, app, l, window);
  draw_help(canvas, app, window);
}

}  // namespace lockstep
