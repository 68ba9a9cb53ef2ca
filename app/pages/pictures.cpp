#include "pictures.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/word_pictures.hpp"
#include "app/labs/step_words.hpp"
#include "app/shell/figure_caption.hpp"
#include "app/shell/font_subset.hpp"
#include "app/shell/shot_app.hpp"
#include "html.hpp"
#include "two_themes.hpp"

namespace lockstep {
namespace {

constexpr int kWide = 960, kNarrow = 400;  // px of a page
constexpr const char* kNarrowScreen = "(max-width: 37rem)";

struct Drawn {
  std::string file;  // below the language's folder
  int width = 0, height = 0;
};

std::string source_of(const std::string& page, const Drawn& drawn) {
  return std::string("<source media=\"") + kNarrowScreen + "\" srcset=\"" +
         Site::relative_to(page, drawn.file) + "\" width=\"" + std::to_string(drawn.width) + "\" height=\"" +
         std::to_string(drawn.height) + "\">\n";
}

std::string image_of(const std::string& page, const Drawn& drawn, const std::string& alt) {
  return "<img src=\"" + Site::relative_to(page, drawn.file) + "\" alt=\"" + html_text(alt) + "\" width=\"" +
         std::to_string(drawn.width) + "\" height=\"" + std::to_string(drawn.height) +
         "\" loading=\"lazy\">\n";
}

// A small drawing in both themes.
Result<std::string> small_picture(Site& site, const std::string& page, const std::string& name,
                                  const std::string& alt, float width, float height, bool on_soft,
                                  const std::function<void(Canvas&, const Theme&)>& draw) {
  const auto drawn_in = [&](const Theme& theme) {
    SvgCanvas canvas(width, height, on_soft ? theme.soft : theme.ground,
                     SvgCanvas::TextAs::text_in_own_fonts);
    draw(canvas, theme);
    return canvas.finish(own_fonts_css(canvas.characters()));
  };
  const Drawn drawn{"pictures/" + name + ".svg", int(width), int(height)};
  const std::string svg = two_themes(drawn_in(light_theme()), drawn_in(dark_theme()));
  if (Status put = site.put_picture(drawn.file, svg); !put) return put.error();
  return image_of(page, drawn, alt);
}

Result<Request> request_of(const StagePicture& wanted) {
  if (wanted.setup) return scene_request(wanted.lab, *wanted.setup);
  return opening_request(*find_lab(wanted.lab));
}

ShotOptions shot_of(const Site& site, const StagePicture& wanted, const Run& run) {
  ShotOptions shot;
  shot.request = run.request, shot.run = run, shot.timed = site.options().timed(run.request.lab);
  shot.language = site.language();
  if (wanted.setup) shot.at = wanted.setup->at;
  if (wanted.scene == 0) return shot;
  shot.book = wanted.book, shot.story = wanted.scene;
  shot.stories = site.options().stories, shot.sources = site.options().sources;
  shot.bookshelf = site.bookshelf();
  return shot;
}

// As on a hand-out: what it counts, the stage, and what else the scene puts in front.
std::vector<std::string> panels_of(App& app, const StagePicture& wanted) {
  std::vector<std::string> panels;
  const auto known = figure_panels(app);
  const auto add = [&](const std::string& name) {
    if (std::find(known.begin(), known.end(), name) == known.end()) return;
    if (std::find(panels.begin(), panels.end(), name) == panels.end()) panels.push_back(name);
  };
  add("headline"), add("stage");
  for (const char* beside : {"ladder", "numbers", "occupancy", "roofline", "curves"})
    if (wanted.setup && wanted.setup->frame == beside) add(beside);
  if (panels.empty()) add("numbers");
  return panels;
}

std::string one_line_json(const std::string& scene) { return nlohmann::ordered_json::parse(scene).dump(); }

bool hides_something(const StoryMask& mask) { return mask.answer || !mask.hides.empty(); }

std::string alt_of(App& app, const FigureCaption& caption, bool hides) {
  std::string alt = caption.title.substr(caption.title.find("· ") + 3);  // "Lockstep · transpose/naive"
  if (!app.has_steps()) return alt + ". " + caption.settings;
  if (hides) return alt + ". " + tr("What answers the question is covered.");
  const char* const stop = app.state().language == Language::chinese ? "。" : ". ";
  for (const std::string& words : step_in_words(*app.scene(), app.view())) alt += stop + words;
  return alt;
}

std::string caption_html(const Site& site, const StagePicture& wanted, const FigureCaption& caption,
                         const std::string& scene) {
  std::string sources;
  for (const std::string& source : caption.sources) sources += (sources.empty() ? "" : "; ") + source;
  std::string out = "<figcaption>\n<p><strong>" +
                    html_text(caption.title.substr(caption.title.find("· ") + 3)) + "</strong>";
  for (const std::string& part : {caption.settings, caption.step})
    if (!part.empty()) out += " · " + html_text(part);
  out += "</p>\n";
  for (const std::string& warning : caption.warnings) out += html_element("p", html_text(warning), "verdict");
  if (!sources.empty()) out += html_element("p", html_text(sources));
  out += "<p class=\"where\">" +
         html_link(site.app_url(wanted.page, scene), html_text(tr("Open this scene in Lockstep"))) +
         "</p>\n" + html_details(html_text(tr("The command that draws it")), html_command(caption.command));
  return out + "</figcaption>\n";
}

}  // namespace

Result<PictureText> stage_picture(Site& site, const StagePicture& wanted) {
  const auto request = request_of(wanted);
  if (!request) return request.error();
  const auto run = site.options().sources.run(*request);
  if (!run && run.error().exit == Exit::unavailable)
    return PictureText{html_element("p", html_text(tr("no picture: {0}", {tr(run.error().message)})), "meta"),
                       ""};
  if (!run) return run.error();
  const ShotOptions shot = shot_of(site, wanted, *run);
  App app = app_for(shot);
  if (Status there = go_there(app, shot); !there) return there.error();
  const auto panels = panels_of(app, wanted);
  const StoryMask mask = app.story_mask();
  const auto draw = [&](int width, const char* ending) -> Result<Drawn> {
    std::string svgs[2];
    Drawn drawn{"pictures/" + wanted.name + ending, 0, 0};
    for (const bool dark : {false, true}) {
      app.set_dark(dark);
      auto figure = screen_figure(app, panels, width, mask);
      if (!figure) return figure.error();
      svgs[dark] = std::move(figure->svg), drawn.width = figure->width, drawn.height = figure->height;
    }
    app.set_dark(false);
    if (Status put = site.put_picture(drawn.file, two_themes(svgs[0], svgs[1])); !put) return put.error();
    return drawn;
  };
  const auto narrow = draw(kNarrow, "-narrow.svg"), wide = draw(kWide, ".svg");
  if (!narrow) return narrow.error();
  if (!wide) return wide.error();
  app.copy_scene();
  PictureText text;
  text.scene = one_line_json(app.to_clipboard.value_or("{}"));
  FigureCaption caption = screen_caption(app, panels);
  if (hides_something(mask)) caption.step.clear();  // "wavefront 3 of 8": a step's name may tell the answer
  text.html = "<figure class=\"wide\">\n<picture>\n" + source_of(wanted.page, *narrow) +
              image_of(wanted.page, *wide, alt_of(app, caption, hides_something(mask))) + "</picture>\n" +
              caption_html(site, wanted, caption, text.scene) + "</figure>\n";
  return text;
}

std::string stage_in_words(Site& site, const StagePicture& wanted) {
  const auto request = request_of(wanted);
  if (!request) return "";
  auto run = site.options().sources.run(*request);
  if (!run) return "";
  const std::int64_t warp = run->request.warp;
  const auto scene = open_run(std::move(*run));
  if (!scene || scene->run().launches.empty() || scene->axis().count() == 0) return "";
  LabView view{scene->opening_step(warp), warp, {}, {}};
  if (wanted.setup && wanted.setup->at) view.step = std::max(0, scene->axis().step_of(*wanted.setup->at));
  std::string out;
  for (const std::string& words : step_in_words(*scene, view)) out += html_element("p", html_text(words));
  return out;
}

Result<std::string> card_picture(Site& site, const std::string& page, const std::string& lab) {
  constexpr float kWidth = 284, kHeight = 104;
  auto run = site.options().sources.run(opening_request(*find_lab(lab)));
  if (!run) return run.error();
  const std::int64_t warp = run->request.warp;
  const auto scene = open_run(std::move(*run));
  if (!scene || scene->axis().count() == 0) return std::string();
  const LabView view{scene->opening_step(warp), warp, {}, {}};
  return small_picture(site, page, "card-" + lab, "", kWidth, kHeight, true,
                       [&](Canvas& canvas, const Theme& theme) {
                         scene->card(canvas, {view, {0, 0, kWidth, kHeight}, theme});
                       });
}

Result<std::string> word_picture(Site& site, const std::string& page, const Word& word) {
  constexpr float kWidth = 320, kHeight = 96;
  if (word.picture.empty()) return std::string();
  return small_picture(
      site, page, "word-" + word_anchor(word.name), word.term, kWidth, kHeight, false,
      [&](Canvas& canvas, const Theme& theme) {
        draw_word_picture(canvas, theme, word.picture, word.name, {8, 8, kWidth - 16, kHeight - 16});
      });
}

}  // namespace lockstep
