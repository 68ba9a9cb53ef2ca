#include "handout.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/draw/rich_text.hpp"
#include "app/draw/theme.hpp"
#include "canvas_cairo.hpp"
#include "figure.hpp"
#include "shot_app.hpp"

namespace lockstep {
namespace {

constexpr float kPageMargin = 60, kPageTitle = 22, kPageText = 14,
                kPageSmall = 11;  // px of 1/96 inch: 10.5 pt is the text
constexpr float kPageTitleLine = 28, kPageTextLine = 21, kPageGap = 12, kPageRule = 27;
constexpr float kPageHead = 34, kPageFoot = 40;
constexpr float kPageLeastFigure = 160;
constexpr float kPageLeastRoom = 4 * kPageRule;  // for an answer by hand

// A page from top to bottom: everything but the figure says how high it is, the figure gets what is left.
class HandoutPage {
 public:
  HandoutPage(Canvas& canvas, App& app, const HandoutOptions& options)
      : canvas_(canvas),
        app_(app),
        options_(options),
        scene_(app.told_scene()),
        told_(app.scene_words()),
        mask_(app.story_mask()),
        text_{kPageMargin, kPageMargin, options.paper.width - 2 * kPageMargin,
              options.paper.height - 2 * kPageMargin} {}

  Status draw() {
    draw_head();
    draw_foot();
    const float bottom = text_.bottom() - kPageFoot;
    y_ = text_.y + kPageHead, draws_ = false;
    above();
    const float top = y_;
    below();
    const float room = bottom - y_ - kPageGap - (options_.solutions ? 0 : kPageLeastRoom);
    if (room < kPageLeastFigure)
      return bad_input("scene {0} does not fit on a page: shorten its text",
                       {std::to_string(app_.tour_scene() + 1)});
    y_ = text_.y + kPageHead, draws_ = true;
    above();
    auto figure = place_figure(canvas_, app_, figure_options(), {text_.x, top, text_.w, room}, mask_);
    if (!figure) return figure.error();
    y_ = top + *figure + kPageGap;
    below();
    if (!options_.solutions) draw_rules(bottom);
    return Unit{};
  }

 private:
  Theme theme() const { return light_theme(); }
  TextStyle small(Align align = Align::left) const { return {Font::words, kPageSmall, theme().dim, align}; }

  void draw_head() {
    const std::string number = tr("scene {0} of {1}", {std::to_string(app_.tour_scene() + 1),
                                                       std::to_string(app_.tour()->scenes.size())});
    const float y = text_.y + 8, width = canvas_.measure(number, small());
    canvas_.text({text_.right(), y}, number, small(Align::right));
    std::string title = app_.tour()->title;
    if (options_.solutions) title += " · " + tr("with solutions");
    canvas_.text_fit({text_.x, y}, title, small(), text_.w - width - 20);
    canvas_.line({text_.x, y + 13}, {text_.right(), y + 13}, theme().line);
  }

  // The line that opens the scene again.
  void draw_foot() {
    const float y = text_.bottom() - 10;
    canvas_.line({text_.x, y - 16}, {text_.right(), y - 16}, theme().line);
    const std::string says = tr("Open this scene:") + "  ";
    canvas_.text({text_.x, y}, says, small());
    const float begin = canvas_.measure(says, small());
    canvas_.text_fit(
        {text_.x + begin, y},
        "lockstep tour " + options_.tour_name + " --scene " + std::to_string(app_.tour_scene() + 1),
        {Font::mono, kPageSmall, theme().ink}, text_.w - begin);
  }

  void rich(const RichText& text, Color color, float indent = 0) {
    const float width = text_.w - indent;
    if (draws_) draw_rich_text(canvas_, {text_.x + indent, y_}, text, kPageText, color, width, kPageTextLine);
    y_ += rich_text_height(canvas_, text, kPageText, width, kPageTextLine);
  }
  void lines(const std::vector<SceneWords::Line>& all) {
    for (const SceneWords::Line& line : all) {
      if (line.bullet && draws_) canvas_.fill_circle({text_.x + 6, y_ + kPageTextLine / 2}, 2, theme().dim);
      rich(line.text, theme().ink, line.bullet ? 18 : 0);
      y_ += 5;
    }
  }
  void label(const std::string& text) {
    y_ += 4;
    if (draws_) canvas_.text({text_.x, y_ + 9}, text, {Font::words_semibold, kPageSmall - 0.5f, theme().dim});
    y_ += 22;
  }

  void above() {
    const TextStyle title{Font::words_semibold, kPageTitle, theme().ink};
    if (draws_) canvas_.text_wrap({text_.x, y_}, scene_.title, title, text_.w, kPageTitleLine);
    y_ += float(canvas_.count_lines(scene_.title, title, text_.w)) * kPageTitleLine + 6;
    lines(told_.text);
    y_ += 4;
  }

  void below() {
    if (!scene_.ask) {
      if (options_.solutions) lines(told_.why);
      return;
    }
    label(tr("QUESTION"));
    RichText question = told_.question;
    for (TextSpan& span : question)
      if (span.font == Font::words) span.font = Font::words_semibold;
    rich(question, theme().ink);
    y_ += 6;
    options();
    options_.solutions ? solution() : answer_line();
  }

  // Each with a box to tick; the right one is ticked where the solutions are asked for.
  void options() {
    const std::size_t right = std::size_t(std::max(0, std::atoi(told_.answer.c_str())));
    for (std::size_t i = 0; i < told_.options.size(); ++i) {
      const bool ticked = options_.solutions && i + 1 == right;
      if (draws_) {
        const Rect box{text_.x + 2, y_ + 4, 13, 13};
        canvas_.stroke_rect(box, theme().ink, 1, 2);
        if (ticked) {
          const Vec2 tick[] = {{box.x + 3, box.y + 7}, {box.x + 6, box.y + 10}, {box.x + 11, box.y + 2.5f}};
          canvas_.polyline(tick, theme().ink, 2);
        }
      }
      RichText text = told_.options[i];
      if (ticked)
        for (TextSpan& span : text)
          if (span.font == Font::words) span.font = Font::words_semibold;
      rich(text, theme().ink, 26);
      y_ += 5;
    }
  }

  // A number has a line of its own, with its unit behind it.
  void answer_line() {
    if (scene_.ask->kind != Ask::Kind::number) return;
    const std::string says = tr("Answer:") + " ";
    const TextStyle style{Font::words, kPageText, theme().ink};
    const float blank = 150, y = y_ + kPageTextLine / 2 + 6;
    if (draws_) {
      const float x = text_.x + canvas_.measure(says, style);
      canvas_.text({text_.x, y}, says, style);
      canvas_.line({x, y + 8}, {x + blank, y + 8}, theme().dim);
      const std::string unit = scene_.ask->unit.empty() ? "" : tr(scene_.ask->unit);
      canvas_.text({x + blank + 8, y}, unit, style);
      if (!told_.allowed.empty())
        canvas_.text({x + blank + 8 + canvas_.measure(unit + "  ", style), y}, told_.allowed,
                     {Font::words, kPageSmall, theme().dim});
    }
    y_ += kPageTextLine + 12;
  }

  void draw_rules(float bottom) {
    for (float y = y_ + kPageRule; y <= bottom - 6; y += kPageRule)
      canvas_.line({text_.x, y}, {text_.right(), y}, theme().line);
  }

  void solution() {
    label(tr("ANSWER"));
    if (told_.no_answer)
      rich({{tr("not answerable here, because {0}", {tr(*told_.no_answer)}), Font::words}}, theme().dim);
    else if (scene_.ask->kind == Ask::Kind::number)
      rich({{told_.answer, Font::words_semibold}, {"  " + told_.allowed, Font::words}}, theme().ink);
    else if (scene_.ask->kind == Ask::Kind::set)
      rich({{tr("Any setting that does it: the lab checks."), Font::words_semibold}}, theme().ink);
    y_ += 4;
    lines(told_.why);
    for (const SceneWords::Tempted& one : told_.tempting) {
      RichText text{{tr("Tempting:") + " " + option_or(one.answer) + " ", Font::words_semibold}};
      text.insert(text.end(), one.why.begin(), one.why.end());
      rich(text, theme().dim);
      y_ += 4;
    }
  }
  std::string option_or(const std::string& answer) const {
    const std::size_t option = std::size_t(std::max(0, std::atoi(answer.c_str())));
    if (scene_.ask->kind != Ask::Kind::choice || option < 1 || option > told_.options.size()) return answer;
    std::string words;
    for (const TextSpan& span : told_.options[option - 1]) words += span.text;
    return words;
  }

  // The stage, what it counts, and what else the scene puts in front.
  FigureOptions figure_options() {
    FigureOptions figure;
    figure.ground = FigureGround::white;
    const auto known = figure_panels(app_);
    const auto add = [&](const std::string& name) {
      const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
      const bool has = std::find(figure.panels.begin(), figure.panels.end(), name) != figure.panels.end();
      if (is_known && !has) figure.panels.push_back(name);
    };
    add("headline"), add("stage");
    for (const char* beside : {"ladder", "numbers", "occupancy", "roofline", "curves"})
      if (scene_.setup.frame == beside) add(beside);
    if (options_.solutions) add("sentence");
    if (figure.panels.empty()) add("numbers");
    return figure;
  }

  Canvas& canvas_;
  App& app_;
  const HandoutOptions& options_;
  const StoryScene& scene_;
  const SceneWords told_;
  const StoryMask mask_;
  const Rect text_;
  float y_ = 0;
  bool draws_ = false;
};

}  // namespace

Status draw_handout_page(Canvas& canvas, App& app, const HandoutOptions& options) {
  if (options.solutions) app.show_story_answer();
  return HandoutPage(canvas, app, options).draw();
}

Result<std::vector<std::uint8_t>> handout_pdf(const HandoutOptions& options) {
  constexpr double kPagePtPerPx = 0.75;
  const Color white = Color::hex(0xFFFFFF);
  const PaperSize& paper = options.paper;
  if (options.scenes.empty()) return bad_input("this tour has no scene");
  CairoCanvas canvas = CairoCanvas::pdf(paper.width, paper.height, kPagePtPerPx, white, false,
                                        options.scenes.front().tour->title);
  for (const ShotOptions& scene : options.scenes) {
    if (&scene != &options.scenes.front()) canvas.next_page(paper.width, paper.height, white);
    App app = app_for(scene);
    if (Status there = go_there(app, scene); !there) return there.error();
    if (Status drawn = draw_handout_page(canvas, app, options); !drawn) return drawn.error();
  }
  return canvas.finish_pdf();
}

}  // namespace lockstep
