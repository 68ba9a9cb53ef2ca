// The card above the kernel: one tab at a time of story, settings, numbers, limits, curves and what to try.
// While a question is open, what would answer it is hidden in all but its own tab.
#include <algorithm>
#include <functional>
#include <utility>

#include "app/draw/controls.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

constexpr float kTabs = 36, kPadding = 14, kFewestLines = 150;
constexpr float kMostOfColumn = 0.62f, kMostOfStory = 0.58f, kMostOfBook = 0.74f, kUsualOfColumn = 0.24f;
constexpr float kArrow = 22;  // to a scene beside

struct Tab {
  std::string id, title;
  float height = 0;  // of what it draws
  std::function<void(Rect)> draw;
  float least = 0;  // may be drawn as low as this where there is less room; 0: only in full
};

// --- what to try, and what to know of this run

TextStyle words_style(const Theme& theme) { return {Font::words, 12.5f * theme.type, theme.ink}; }

float list_height(const Canvas& canvas, const std::vector<std::string>& lines, float width,
                  const Theme& theme) {
  float h = 0;
  for (const std::string& line : lines)
    h += float(canvas.count_lines(line, words_style(theme), width - 20)) * 18 * theme.type + 6;
  return h;
}

void draw_list(Canvas& canvas, const std::vector<std::string>& lines, Rect r, const Theme& theme) {
  float y = r.y;
  for (const std::string& line : lines) {
    canvas.fill_circle({r.x + 4, y + 9 * theme.type}, 3, theme.accent);
    y += canvas.text_wrap({r.x + 18, y}, line, words_style(theme), r.w - 20, 18 * theme.type) + 6;
  }
}

std::vector<std::string> notes_of(const App& app) {
  std::vector<std::string> notes;
  if (!app.run()) return notes;
  if (app.run()->stale)
    notes.push_back(tr("This recording is stale: the kernel's source has changed since."));
  for (const Message& m : app.run()->warnings) notes.push_back(tr(m));
  return notes;
}

// --- the tabs of this lab and run

Tab numbers_tab(Canvas& canvas, App& app, float width, const Theme& theme) {
  const auto notes = notes_of(app);
  const float notes_h = list_height(canvas, notes, width, theme),
              numbers_h = numbers_height(canvas, app, width, theme);
  return {"numbers", app.compared() ? tr("Differences") : tr("Numbers"), numbers_h + notes_h,
          [&canvas, &app, &theme, notes, notes_h, numbers_h](Rect r) {
            canvas.landmark(kNumbers, r);
            draw_list(canvas, notes, {r.x, r.y, r.w, notes_h}, theme);
            draw_numbers(canvas, app, {r.x, r.y + notes_h, r.w, numbers_h}, theme);
          }};
}

std::string story_tab_title(const App& app, const Story& story) {
  if (app.tells_claim())
    return tr("Claim {0} of {1}",
              {std::to_string(app.claim_index() + 1), std::to_string(app.claims().size())});
  if (app.exercise())
    return tr("Part {0} of {1}",
              {std::to_string(app.story_scene() + 1), std::to_string(story.scenes.size())});
  return tr("Story {0} of {1}", {std::to_string(app.story_scene() + 1), std::to_string(story.scenes.size())});
}

// A lab's own curves stand side by side where two have room.
Tab curves_tab(Canvas& canvas, const std::string& title, std::vector<LabPanel> panels, float width,
               const Theme& theme) {
  const int columns = panels.size() > 1 ? card_columns(width, theme) : 1;
  float height = 0, row_h = 0;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    row_h = std::max(row_h, lab_panel_height(panels[i], theme));
    if (int(i) % columns == columns - 1 || i + 1 == panels.size()) height += row_h, row_h = 0;
  }
  return {"curves", title, height, [&canvas, &theme, panels = std::move(panels), columns](Rect r) {
            canvas.landmark("curves", r);
            const float w = columns == 2 ? (r.w - kColumnGap) / 2 : r.w;
            float y = r.y, row_h = 0;
            for (std::size_t i = 0; i < panels.size(); ++i) {
              const int column = int(i) % columns;
              const float h = lab_panel_height(panels[i], theme);
              draw_lab_panel(canvas, panels[i], {r.x + float(column) * (w + kColumnGap), y, w, h}, theme);
              row_h = std::max(row_h, h);
              if (column == columns - 1) y += row_h, row_h = 0;
            }
          }};
}

std::vector<Tab> tabs_of(Canvas& canvas, App& app, float width, const Theme& theme) {
  std::vector<Tab> tabs;
  if (const Story* story = app.story())
    tabs.push_back({"story", story_tab_title(app, *story),
                    app.tab != "story" ? 0
                    : app.exercise()   ? exercise_height(canvas, app, width, theme)
                                       : story_height(canvas, app, width, theme),
                    [&](Rect r) {
                      app.exercise() ? draw_exercise(canvas, app, r, theme)
                                     : draw_story(canvas, app, r, theme);
                    }});
  const float back = back_link_height(app, theme);
  tabs.push_back({"settings", tr("Settings"), back + settings_height(canvas, app, width, theme),
                  [&canvas, &app, &theme, back](Rect r) {
                    if (back > 0) draw_back_link(canvas, app, {r.x, r.y, r.w, back}, theme);
                    draw_settings(canvas, app, {r.x, r.y + back, r.w, r.h - back}, theme);
                  }});
  tabs.push_back(numbers_tab(canvas, app, width, theme));
  if (const float h = occupancy_height(canvas, app, width, theme); h > 0)
    tabs.push_back({"occupancy", tr("Occupancy"), h, [&](Rect r) {
                      canvas.landmark("occupancy", r);
                      draw_occupancy(canvas, app, r, theme);
                    }});
  if (const float h = roofline_height(app, theme); h > 0)
    tabs.push_back({"roofline", tr("Roofline"), h,
                    [&](Rect r) { draw_roofline_panel(canvas, app, r, theme); }, 0.6f * h});
  if (auto own = app.scene() ? app.scene()->panels(app.stage_area, theme) : std::vector<LabPanel>{};
      !own.empty())
    tabs.push_back(curves_tab(canvas, tr(app.scene()->panels_title()), std::move(own), width, theme));
  if (app.tries()) {
    const auto progress = app.tries_progress(app.state().lab);
    tabs.push_back({"try",
                    progress.done == 0 ? tr("Try")
                                       : tr("Try {0} of {1}",
                                            {std::to_string(progress.done), std::to_string(progress.scenes)}),
                    app.tab == "try" ? tries_height(canvas, app, width, theme) : 0,
                    [&canvas, &app, &theme](Rect r) { draw_tries(canvas, app, r, theme); }});
  }
  return tabs;
}

std::size_t shown_tab(const std::vector<Tab>& tabs, const App& app) {
  const auto at = std::find_if(tabs.begin(), tabs.end(), [&](const Tab& tab) { return tab.id == app.tab; });
  return at == tabs.end() ? 0 : std::size_t(at - tabs.begin());
}

// The names; a click on the shown one folds the card to them.
void draw_tab_names(Canvas& canvas, App& app, Rect r, const std::vector<Tab>& tabs, std::size_t shown,
                    const Theme& theme) {
  const float gap = 26 * theme.type;
  float x = r.x, all = -gap;
  const auto style = [&](bool on) {
    return TextStyle{on ? Font::words_semibold : Font::words, 12.5f * theme.type, on ? theme.ink : theme.dim};
  };
  for (const Tab& tab : tabs) all += canvas.measure(tab.title, style(true)) + gap;
  const float space = all > r.w ? std::max(8.f, gap - (all - r.w) / float(tabs.size() - 1)) : gap;
  const float words_w = all - gap * float(tabs.size() - 1), room = r.w - space * float(tabs.size() - 1);
  const float shrink = std::min(1.f, room / words_w);  // what no gap can give, the names do
  for (std::size_t i = 0; i < tabs.size(); ++i) {
    const bool on = i == shown && !app.settings().card_folded;
    const float w = canvas.measure(tabs[i].title, style(true)) * shrink;
    const Rect box{x - 4, r.y + 4, w + 8, r.h - 6};
    const Hit hit = canvas.hit("tab/" + tabs[i].id, box, true);
    TextStyle words = style(on);
    if (hit.hovered) words.color = theme.ink;
    canvas.text_fit({x, r.center().y}, tabs[i].title, words, w + 0.5f);
    if (on) canvas.fill_rect({x, r.bottom() - 5, w, 2}, theme.ink, 1);
    if (hit.focused) draw_focus_ring(canvas, theme, box, 4);
    if (hit.hovered)
      canvas.tooltip(i == shown ? tr("folds and unfolds the card; F6 shows the next tab")
                                : tabs[i].title + " (F6)");
    if (hit.clicked) {
      app.settings().card_folded = i == shown && !app.settings().card_folded;
      if (i != shown) app.tab = tabs[i].id, app.right_scroll = 0;
    }
    x += w + space;
  }
}

void draw_tab(Canvas& canvas, App& app, Rect r, const Tab& tab, const Theme& theme) {
  const float height =
      tab.least > 0 ? std::clamp(r.h, tab.least, std::max(tab.least, tab.height)) : tab.height;
  const float most = std::max(0.f, height - r.h);
  const Rect view{r.x - kPadding, r.y, r.w + 2 * kPadding, r.h};
  canvas.push_clip(view);
  if (const Hit wheel = canvas.hit("right", view); wheel.wheel != 0) app.right_scroll -= wheel.wheel * 40;
  // The reply in sight, with its question where both have room.
  if (std::exchange(app.shows_reply, false))
    app.right_scroll = std::max(app.reply_lines.first, app.reply_lines.second - r.h);
  app.right_scroll = scrolled_to_focus(canvas, view, app.right_scroll);
  app.right_scroll = std::clamp(app.right_scroll, 0.f, most);
  tab.draw({r.x, r.y - app.right_scroll, r.w, std::max(height, r.h)});
  if (most > 0) {  // a thin scrollbar
    const float bar = r.h * r.h / height;
    canvas.fill_rect({view.right() - 6, r.y + (r.h - bar) * app.right_scroll / most, 3, bar}, theme.line,
                     1.5f);
  }
  canvas.pop_clip();
}

float card_height(const App& app, const Tab& tab, float column, const Theme& theme) {
  if (app.settings().card_folded) return kTabs * theme.type;
  if (const float share = app.settings().card_share; share > 0) {
    constexpr float kLeastTab = 40;  // of a tab, or of the kernel
    const float least = (kTabs + kLeastTab) * theme.type;
    return std::clamp(column * share, least, std::max(least, column - least));
  }
  const float wanted = kTabs * theme.type + tab.height + kPadding + 4;
  const float share = tab.id != "story" ? kMostOfColumn : app.book() ? kMostOfBook : kMostOfStory;
  float most = std::max(column * share, std::min(column, kFewestLines * theme.type));
  constexpr float kTitleLines = 56;  // what is only so much too high is not scrolled: a title would be cut
  if (tab.id == "story" && wanted - most < kTitleLines * theme.type) most = std::max(most, wanted);
  return std::min(std::max(wanted, column * kUsualOfColumn), most);
}

// The line between card and kernel: dragged, moved by the arrows where it has the keyboard; a double click
// gives the card the height that its tab needs.
void draw_card_splitter(Canvas& canvas, App& app, Rect gap, Rect column, const Theme& theme) {
  Settings& kept = app.settings();
  app.drawn_card_share = (gap.y - column.y) / column.h;
  const Hit hit = canvas.hit("splitter/card", gap, true);
  if (hit.focused) app.focused_splitter = Splitter::card;
  if (hit.hovered || hit.held || hit.focused)
    canvas.line({gap.x, gap.center().y}, {gap.right(), gap.center().y}, theme.readable(color::l2), 2);
  if (hit.hovered)
    canvas.tooltip(tr("drag, or ↑ ↓: more room for the card or the kernel; double click: the usual height"));
  if (hit.double_clicked) kept.card_share = 0;
  if (hit.double_clicked || !hit.dragged || !hit.held) return;
  kept.card_folded = false;
  kept.card_share =
      std::clamp((hit.pointer.y - gap.h / 2 - column.y) / column.h, kLeastCardShare, kMostCardShare);
}

}  // namespace

int card_columns(float width, const Theme& theme) { return width >= 520 * theme.type ? 2 : 1; }

void draw_right_column(Canvas& canvas, App& app, Rect r, const StoryMask& mask) {
  const Theme theme = app.theme();
  const Rect column{r.x + 4, r.y + 10, r.w - 18, r.h - 20};
  const float width = column.w - 2 * kPadding;
  StoryCanvas kept_back(canvas, mask);
  const bool asks = app.tab == "story" || app.tab == "try" || app.tab == "settings";
  Canvas& card_canvas = asks ? canvas : kept_back;
  const auto tabs = tabs_of(card_canvas, app, width, theme);
  for (; app.tab_steps > 0; --app.tab_steps)
    app.tab = tabs[(shown_tab(tabs, app) + 1) % tabs.size()].id, app.right_scroll = 0,
    app.settings().card_folded = false;
  const std::size_t shown = shown_tab(tabs, app);
  const Rect card{column.x, column.y, column.w, card_height(app, tabs[shown], column.h, theme)};
  canvas.fill_rect(card, theme.panel, kCorner);
  canvas.stroke_rect(card, theme.line, 1, kCorner);
  canvas.fill_rect({card.x, card.y, 3, card.h}, theme.accent, 1.5f);
  const float names = kTabs * theme.type;
  const bool story = tabs[shown].id == "story";
  const float arrows = story ? 2 * kArrow * theme.type : 0;
  draw_tab_names(canvas, app, {card.x + kPadding + 2, card.y, width - arrows, names}, tabs, shown, theme);
  if (story)
    draw_story_arrows(canvas, app, {card.right() - kPadding - arrows, card.y + 6, arrows, names - 10}, theme);
  if (!app.settings().card_folded)
    draw_tab(card_canvas, app, {card.x + kPadding, card.y + names + 2, width, card.h - names - 8},
             tabs[shown], theme);
  kept_back.draw_veils(theme, hidden_words());
  constexpr float kGap = 10;
  const Rect code{column.x, card.bottom() + kGap, column.w, column.bottom() - card.bottom() - kGap};
  StoryCanvas code_canvas(canvas, mask, false);
  code_canvas.landmark("code", code);
  draw_source_panel(code_canvas, app, code);
  code_canvas.draw_veils(theme, hidden_words());
  explain_lines(canvas, app, theme, code_canvas.lines(), "code", code);
  draw_story_frame(canvas, app, theme, code_canvas.landmarks());
  app.panel_areas.emplace_back(tabs[shown].id, card);
  app.panel_areas.emplace_back("code", code);
  draw_card_splitter(canvas, app, {column.x, card.bottom(), column.w, kGap}, column, theme);
}

}  // namespace lockstep
