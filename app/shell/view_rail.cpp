// The rail: chapters and labs, and the switches for theme, language, projector mode and help. Folded, it
// shows initials.
#include <algorithm>
#include <functional>
#include <utility>

#include "app/draw/controls.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

// "Moving bytes" -> "MOVING BYTES"; text outside ASCII stays as it is.
std::string capitals(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = char(c - 'a' + 'A');
  return text;
}

// The first two letters, or the first character of a word in Chinese.
std::string initials(const std::string& title) {
  const bool ascii = static_cast<unsigned char>(title[0]) < 0x80;
  return title.substr(0, ascii ? 2 : 3);
}

bool rail_lab(Canvas& canvas, const Theme& theme, Rect row, const Lab& lab, bool current, bool done,
              bool folded) {
  const Hit hit = canvas.hit("rail/" + lab.info().slug, row, true);
  const std::string title = tr(lab.info().title);
  const TextStyle style{current ? Font::words_semibold : Font::words, 13.5f * theme.type, theme.ink,
                        folded ? Align::center : Align::left};
  if (current || hit.hovered)
    canvas.fill_rect(row, current ? theme.soft : mix(theme.panel, theme.soft, 0.6f), 4);
  if (current) canvas.fill_rect({row.x - 10, row.y, 3, row.h}, theme.accent);
  if (folded)
    canvas.text(row.center(), initials(title), style);
  else
    canvas.text_fit({row.x + 14, row.center().y}, title, style, row.w - (done ? 40 : 20));
  if (done && !folded)
    canvas.text({row.right() - 8, row.center().y}, "✓",
                {Font::words_semibold, 12.5f * theme.type, theme.ink, Align::right});
  if (hit.focused) draw_focus_ring(canvas, theme, row, 4);
  if (hit.hovered) canvas.tooltip(folded ? title + "\n" + tr(lab.info().question) : tr(lab.info().question));
  return hit.clicked;
}

// Chapters and labs; what does not fit scrolls.
void rail_labs(Canvas& canvas, App& app, Rect r, bool folded, const Theme& theme) {
  const float above = 12 * theme.type;  // a chapter stands off from the labs above it
  const float step = 24 * theme.type;
  float height = 0;
  std::string chapter;
  for (const Lab* lab : labs())
    height += std::exchange(chapter, lab->info().chapter) == lab->info().chapter ? step : 2 * step + above;
  canvas.push_clip(r);
  if (const Hit hit = canvas.hit("rail", r); hit.wheel != 0) app.rail_scroll -= hit.wheel * 40;
  app.rail_scroll = scrolled_to_focus(canvas, r, app.rail_scroll);
  app.rail_scroll = std::clamp(app.rail_scroll, 0.f, std::max(0.f, height - r.h));
  float y = r.y - app.rail_scroll;
  chapter.clear();
  for (const Lab* lab : labs()) {
    if (std::exchange(chapter, lab->info().chapter) != lab->info().chapter) {
      if (lab != labs().front()) y += above;
      if (folded)
        canvas.line({r.x + 14, y + 8}, {r.right() - 14, y + 8}, theme.line);
      else
        canvas.text_fit({r.x + 20, y + 8}, capitals(tr(chapter)),
                        {Font::words_semibold, 10.5f * theme.type, theme.dim}, r.w - 30);
      y += step;
    }
    const Rect row{r.x + 10, y, r.w - 20, 22 * theme.type};
    if (rail_lab(
            canvas, theme, row, *lab,
            !app.state().home && !app.state().program && !app.book() && lab->info().slug == app.state().lab,
            app.story_progress(lab->info().slug).finished(), folded))
      app.choose_lab(lab->info().slug);
    y += step;
  }
  if (const float most = height - r.h; most > 0) {
    const float bar = r.h * r.h / height;
    canvas.fill_rect({r.right() - 6, r.y + (r.h - bar) * app.rail_scroll / most, 3, bar},
                     mix(theme.line, theme.dim, 0.5f), 1.5f);
  }
  canvas.pop_clip();
}

// The program's name is the way home.
void rail_brand(Canvas& canvas, App& app, Rect r, bool folded, const Theme& theme) {
  const TextStyle style{Font::words_semibold, 18 * theme.type, theme.ink,
                        folded ? Align::center : Align::left};
  const bool home = app.state().home;
  const Hit hit = home ? Hit{} : canvas.hit("rail/home", r, true);
  if (hit.hovered) canvas.fill_rect(r, mix(theme.panel, theme.soft, 0.6f), 4);
  if (folded)
    canvas.text(r.center(), "L", style);
  else
    canvas.text_fit({r.x + 12, r.center().y}, "Lockstep", style, r.w - 14);
  if (hit.focused) draw_focus_ring(canvas, theme, r, 4);
  if (hit.hovered) canvas.tooltip(tr("home, with every lab (H)"));
  if (hit.clicked) app.go_home();
}

struct Switch {
  const char* id;
  std::string label, key, hint;  // folded, the key stands for the label
  std::function<void()> flip;
};

std::vector<Switch> switches(App& app) {
  const AppState& s = app.state();
  const bool chinese = s.language == Language::chinese;
  return {
      {"switch/theme", s.dark ? tr("light") : tr("dark"), "T", tr("light or dark"),
       [&app, dark = s.dark] { app.set_dark(!dark); }},
      {"switch/language", chinese ? "EN" : "中文", "L", tr("English or 中文"),
       [&app, chinese] { app.set_language(chinese ? Language::english : Language::chinese); }},
      {"switch/projector", tr("present"), "F11", tr("presentation: the stage in large type; Esc leaves it"),
       [&app, on = s.projector] { app.set_projector(!on); }},
      {"switch/help", tr("keys"), "?", tr("this page"), [&app] { app.help = !app.help; }},
      {"switch/scene", tr("scene"), "{ }", tr("copy, save or open what is on screen"),
       [&app] { app.open_menu(MenuKind::scene); }},
      {"switch/find", tr("find"), "/", tr("find a lab, rung, parameter or word"),
       [&app] { app.open_menu(MenuKind::find); }}};
}

constexpr int kSwitches = 6;
constexpr float kSwitchGap = 6;

// Two by two, folded one below the other; returns the height used.
float rail_switches(Canvas& canvas, App& app, Rect r, bool folded, const Theme& theme) {
  const auto all = switches(app);
  const int columns = folded ? 1 : 2;
  const float h = 26 * theme.type, gap = kSwitchGap,
              w = (r.w - 28 - gap * float(columns - 1)) / float(columns);
  const float height = rail_switches_height(folded, theme.type);
  int i = -1;
  for (const Switch& s : all) {
    if (app.shows_program() && s.id == std::string_view("switch/projector"))
      continue;  // labs alone are presented
    ++i;
    const Rect box{r.x + 14 + float(i % columns) * (w + gap),
                   r.bottom() - height + float(i / columns) * (h + gap), w, h};
    const Hit hit = draw_button(canvas, theme, s.id, box, folded ? s.key : s.label, ButtonLook::plain);
    const bool keyless = s.id == std::string_view("switch/scene");
    if (hit.hovered)
      canvas.tooltip(folded ? s.label + "\n" + s.hint : keyless ? s.hint : s.hint + " (" + s.key + ")");
    if (hit.clicked) s.flip();
  }
  return height;
}

// What stands below the labs.
struct RailPlace {
  std::string id, title, note;
  std::string folded;  // what stands for it where there is no room
  std::string hint;
  bool current = false;
  void (*choose)(App& app) = nullptr;
};

std::vector<RailPlace> rail_places(const App& app) {
  std::vector<RailPlace> places;
  const ListPage page = app.state().home ? app.state().page : ListPage::none;
  const bool stage = !app.state().home && !app.state().program;
  if (app.exercises() && !app.exercises()->all().empty())
    places.push_back({"rail/exercises", tr("Exercises"),
                      tr("{0} of {1}", {std::to_string(app.exercises()->finished()),
                                        std::to_string(app.exercises()->all().size())}),
                      initials(tr("Exercises")), tr("predict, run, find out"),
                      page == ListPage::exercises || (stage && app.exercise()),
                      [](App& a) { a.open_list(ListPage::exercises); }});
  if (const int all = int(app.claims().size()); all > 0)
    places.push_back({"rail/claims", tr("Claims"),
                      tr("{0} of {1}", {std::to_string(app.claims_done()), std::to_string(all)}),
                      initials(tr("Claims")), tr("sentences that many repeat, put to the test"),
                      page == ListPage::claims || (stage && app.tells_claim()),
                      [](App& a) { a.open_list(ListPage::claims); }});
  places.push_back({"rail/program", tr("Your program"), ".cu", ".cu",
                    tr("open a CUDA program of your own, unchanged"), app.shows_program(),
                    [](App& a) { a.go_to_program(); }});
  return places;
}

void rail_place(Canvas& canvas, App& app, const RailPlace& place, Rect row, bool folded, const Theme& theme) {
  const Hit hit = canvas.hit(place.id, row, true);
  const bool current = place.current;
  const TextStyle style{current ? Font::words_semibold : Font::words, 13.5f * theme.type, theme.ink,
                        folded ? Align::center : Align::left};
  if (current || hit.hovered)
    canvas.fill_rect(row, current ? theme.soft : mix(theme.panel, theme.soft, 0.6f), 4);
  if (current) canvas.fill_rect({row.x - 10, row.y, 3, row.h}, theme.accent);
  if (folded) {
    canvas.text(row.center(), place.folded, style);
  } else {
    const TextStyle note{Font::words, 12 * theme.type, theme.dim, Align::right};
    canvas.text_fit({row.x + 10, row.center().y}, place.title, style,
                    row.w - 26 - canvas.measure(place.note, note));
    canvas.text({row.right() - 8, row.center().y}, place.note, note);
  }
  if (hit.focused) draw_focus_ring(canvas, theme, row, 4);
  if (hit.hovered) canvas.tooltip(folded ? place.title + "\n" + place.hint : place.hint);
  if (hit.clicked) place.choose(app);
}

}  // namespace

float rail_switches_height(bool folded, float type) {
  const int rows = folded ? kSwitches : kSwitches / 2;
  return float(rows) * (26 * type + kSwitchGap) - kSwitchGap + 14;
}

void draw_rail(Canvas& canvas, App& app, Rect r, bool folded) {
  const Theme theme = app.theme();
  canvas.fill_rect(r, theme.panel);
  canvas.line({r.right() - 0.5f, r.y}, {r.right() - 0.5f, r.bottom()}, theme.line);
  rail_brand(canvas, app, {r.x + 8, r.y + 8 * theme.type, r.w - 16, 34 * theme.type}, folded, theme);
  const float below = rail_switches(canvas, app, r, folded, theme), top = 64 * theme.type;
  const auto places = rail_places(app);
  const float step = 24 * theme.type, own = float(places.size()) * step + 6 * theme.type;
  for (std::size_t i = 0; i < places.size(); ++i)
    rail_place(canvas, app, places[i],
               {r.x + 10, r.bottom() - below - own + float(i) * step, r.w - 20, 22 * theme.type}, folded,
               theme);
  rail_labs(canvas, app, {r.x, r.y + top, r.w, r.h - top - below - own - 10}, folded, theme);
}

}  // namespace lockstep
