// What a picture is to look like: the flags of shot, clip and tour in common.
#include <array>
#include <cmath>

#include "app/cli/pictures.hpp"
#include "app/cli/verbs.hpp"
#include "app/labs/lab.hpp"
#include "app/shell/scene.hpp"
#include "app/shell/shell.hpp"

namespace lockstep {
namespace {

constexpr std::array<std::string_view, 2> kThemes{"light", "dark"};
constexpr double kMinScale = 0.5, kMaxScale = 4;

Result<std::vector<std::string>> parse_panels(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    if (names.back().empty())
      return bad_input("--panel takes names with commas between them, not '{0}'", {text});
    begin = end + 1;
  }
  return names;
}

Result<FigureWidth> parse_width(const std::string& text) {
  const bool mm = text.ends_with("mm"), px = text.ends_with("px");
  const auto amount = parse_number("--width", text.substr(0, text.size() - (mm || px ? 2 : 0)), mm ? 40 : 160,
                                   mm ? 600 : 7680);
  if ((mm || px) && amount) return FigureWidth{*amount, mm};
  return bad_input("--width takes 40mm to 600mm, or 160px to 7680px, not '{0}'", {text});
}

// White ground takes the light theme's ink, dark ground the dark one's.
Status parse_ground(const ShotArguments& arguments, FigureOptions& figure, bool& dark) {
  constexpr std::array<std::string_view, 3> kGrounds{"white", "theme", "dark"};
  if (!arguments.ground) return Unit{};
  const auto ground = parse_word("--ground", *arguments.ground, kGrounds);
  if (!ground) return ground.error();
  figure.ground = FigureGround(*ground);
  if (figure.ground == FigureGround::theme) return Unit{};
  const bool wants_dark = figure.ground == FigureGround::dark;
  if (arguments.theme && wants_dark != dark)
    return bad_input("--ground {0} does not go with --theme {1}", {*arguments.ground, *arguments.theme});
  dark = wants_dark;
  return Unit{};
}

// The figure that the flags ask for, if they do.
Status parse_figure(const ShotArguments& arguments, ShotOptions& options) {
  const bool flags = arguments.width || arguments.ground || arguments.outlines;
  if (!arguments.panel) {
    if (flags) return bad_input("--width, --ground and --outlines are for figures: name one with --panel");
    return Unit{};
  }
  if (arguments.figure) return bad_input("give --figure or --panel, not both");
  if (arguments.width && arguments.size) return bad_input("give --width or --size, not both");
  FigureOptions figure;
  auto panels = parse_panels(*arguments.panel);
  if (!panels) return panels.error();
  figure.panels = std::move(*panels);
  if (arguments.width) {
    const auto width = parse_width(*arguments.width);
    if (!width) return width.error();
    figure.width = *width;
  }
  if (arguments.size) figure.size = {options.width, options.height};
  if (arguments.scale) figure.scale = options.scale;
  if (Status ground = parse_ground(arguments, figure, options.dark); !ground) return ground.error();
  figure.outlines = arguments.outlines, figure.recordings = arguments.recordings;
  options.panels = std::move(figure);
  return Unit{};
}

// X,Y
Result<Vec2> parse_place(const std::string& text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const auto x = parse_number("--lens", text.substr(0, comma), 0, 7680);
  const auto y = parse_number("--lens", text.substr(std::min(comma + 1, text.size())), 0, 4320);
  if (x && y) return Vec2{float(*x), float(*y)};
  return bad_input("--lens takes the pointer's place, X,Y in px, not '{0}'", {text});
}

}  // namespace

Result<ShotOptions> parse_look(const ShotArguments& arguments) {
  ShotOptions options;
  if (arguments.size) {
    auto size = parse_size(*arguments.size);
    if (!size) return size.error();
    options.width = size->width;
    options.height = size->height;
  }
  if (arguments.scale) {
    auto scale = parse_number("--scale", *arguments.scale, kMinScale, kMaxScale);
    if (!scale) return scale.error();
    options.scale = float(*scale);
  }
  auto theme = parse_word("--theme", arguments.theme.value_or("light"), kThemes);
  if (!theme) return theme.error();
  options.dark = *theme == 1;
  auto language = parse_language(arguments);
  if (!language) return language.error();
  options.language = *language;
  if (arguments.step) {
    auto step = parse_whole("--step", *arguments.step, 0, INT32_MAX);
    if (!step) return step.error();
    options.step = int(*step);
  }
  options.at = arguments.at;
  if (arguments.pin) {
    auto pin = parse_pin(*arguments.pin);
    if (!pin) return pin.error();
    options.pinned = *pin;
  }
  if (arguments.timeline) {
    auto view = parse_timeline(*arguments.timeline, "--timeline " + *arguments.timeline);
    if (!view) return view.error();
    options.timeline = *view;
  }
  options.figure = arguments.figure;
  options.projector = arguments.projector, options.notes = arguments.notes;
  if (arguments.lens) {
    auto place = parse_place(*arguments.lens);
    if (!place) return place.error();
    options.lens = *place, options.projector = true;
  }
  if (Status figure = parse_figure(arguments, options); !figure) return figure.error();
  return options;
}
}  // namespace lockstep
