// Figures: every panel of every lab on paper, and clips.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <regex>

#include "app/draw/canvas_figure.hpp"
#include "app/draw/canvas_svg.hpp"
#include "app/platform/files.hpp"
#include "app/shell/clip.hpp"
#include "app/shell/figure.hpp"
#include "app/shell/shell.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"
#include "engine_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::string string_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

// The lab's first rung with its usual settings, as the emulator runs it.
const Run& usual_run(const LabInfo& lab) {
  const std::string rung = lab.rungs.front().slug;
  return emulated_run(lab.slug, rung, *complete_params(lab, rung, {}));
}

ShotOptions figure_of(const Run& run, const std::string& panel, const char* file) {
  ShotOptions options;
  options.run = run, options.output = file;
  options.panels.emplace();
  options.panels->panels = {panel};
  return options;
}

std::string drawn(const ShotOptions& options) {
  const auto bytes = shot_bytes(options);
  REQUIRE_MESSAGE(bytes.ok(), (bytes.ok() ? "" : bytes.error().text()));
  return string_of(*bytes);
}

std::vector<std::string> panels_of(const Run& run) {
  AppState state;
  state.lab = run.request.lab, state.rung = run.request.rung, state.params = run.request.params;
  App app(state, nullptr);
  app.show(run);
  return figure_panels(app);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

// Every element that is opened is closed, in order: what a reader of XML asks first.
bool well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != svg.npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    if (end == svg.npos) return false;
    const std::string tag = svg.substr(at + 1, end - at - 1);
    if (tag.ends_with('/')) continue;
    const std::string name = tag.substr(tag[0] == '/', tag.find_first_of(" /", 1) - (tag[0] == '/'));
    if (tag[0] != '/') {
      open.push_back(name);
    } else {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

// What a figure must not say.
const char* const kHints[] = {"click", "Click", "Esc ", "(P)", "(F)", "(F6)"};

}  // namespace

TEST_CASE("every panel of every lab becomes an SVG and a PDF, with no hint in it and with its fonts") {
  for (const Lab* lab : labs()) {
    const Run& run = usual_run(lab->info());
    const auto panels = panels_of(run);
    CHECK(panels.size() >= 3);
    for (const std::string& panel : panels) {
      CAPTURE(lab->info().slug);
      CAPTURE(panel);
      const std::string svg = drawn(figure_of(run, panel, "figure.svg"));
      CHECK(well_formed(svg));
      CHECK(svg.find("@font-face") != svg.npos);
      for (const char* hint : kHints) CHECK(svg.find(hint) == svg.npos);
      CHECK(svg.find("lockstep shot " + lab->info().slug) != svg.npos);
      const std::string pdf = drawn(figure_of(run, panel, "figure.pdf"));
      CHECK(pdf.starts_with("%PDF-"));
      CHECK(pdf.find("/FontFile") != pdf.npos);
    }
  }
}

TEST_CASE("the panels of a lab have names of their own") {
  for (const Lab* lab : labs()) {
    auto panels = panels_of(usual_run(lab->info()));
    CAPTURE(lab->info().slug);
    for (const std::string& panel : panels) CHECK(std::regex_match(panel, std::regex("[a-z][a-z_0-9]*")));
    std::sort(panels.begin(), panels.end());
    CHECK(std::adjacent_find(panels.begin(), panels.end()) == panels.end());
  }
}

TEST_CASE("the type of every panel but the stage is 6 pt on a column of 170 mm, and nothing is cut") {
  for (const Lab* lab : labs()) {
    const Run& run = usual_run(lab->info());
    for (const std::string& panel : panels_of(run)) {
      if (panel == "stage") continue;
      CAPTURE(lab->info().slug);
      CAPTURE(panel);
      double smallest = 0;
      const auto bytes = shot_bytes(figure_of(run, panel, "figure.svg"), &smallest);
      REQUIRE(bytes.ok());
      CHECK(smallest > 5.95);
      CHECK(string_of(*bytes).find("…</text>") == std::string::npos);
    }
  }
}

namespace {

std::string unescaped(std::string text) {
  for (const auto& [escape, character] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}})
    for (std::size_t at = text.find(escape); at != text.npos; at = text.find(escape))
      text.replace(at, std::strlen(escape), character);
  return text;
}

// Texts of an SVG that reach beyond its page.
std::vector<std::string> beyond_page(const std::string& svg) {
  std::smatch box;
  const bool sized = std::regex_search(svg, box, std::regex(R"re(viewBox="0 0 ([0-9.]+) ([0-9.]+)")re"));
  REQUIRE(sized);
  const float width = std::stof(box[1]), height = std::stof(box[2]);
  const SvgCanvas ruler(1, 1, {});
  std::vector<std::string> beyond;
  const std::regex text(
      R"re(<text x="(-?[0-9.]+)" y="(-?[0-9.]+)" font-family="([^"]*)" font-size="([0-9.]+)"([^>]*)>([^<]*)<)re");
  for (std::sregex_iterator at(svg.begin(), svg.end(), text), end; at != end; ++at) {
    const auto& found = *at;
    const bool mono = found[3].str().find("Mono") != std::string::npos,
               strong = found[5].str().find("font-weight") != std::string::npos;
    const Font font = mono     ? strong ? Font::mono_semibold : Font::mono
                      : strong ? Font::words_semibold
                               : Font::words;
    const float w = ruler.measure(unescaped(found[6]), {font, std::stof(found[4]), {}}),
                x = std::stof(found[1]), y = std::stof(found[2]);
    const bool middle = found[5].str().find("\"middle\"") != std::string::npos,
               ends = found[5].str().find("\"end\"") != std::string::npos;
    const float left = middle ? x - w / 2 : ends ? x - w : x;
    if (left < 0 || left + w > width || y < 0 || y > height) beyond.push_back(found[6]);
  }
  return beyond;
}

}  // namespace

TEST_CASE("a stage on a column of 85 or 170 mm: nothing is cut or beyond the page, and its type is legible" *
          doctest::test_suite("slow")) {
  for (const Lab* lab : labs())
    for (const RungInfo& rung : lab->info().rungs) {
      const Run& run =
          emulated_run(lab->info().slug, rung.slug, *complete_params(lab->info(), rung.slug, {}));
      for (const double mm : {85.0, 170.0}) {
        CAPTURE(lab->info().slug);
        CAPTURE(rung.slug);
        CAPTURE(mm);
        ShotOptions options = figure_of(run, "stage", "figure.svg");
        options.panels->width = {mm, true};
        double smallest = 0;
        const auto bytes = shot_bytes(options, &smallest);
        REQUIRE(bytes.ok());
        const std::string svg = string_of(*bytes);
        CHECK(svg.find("…</text>") == svg.npos);
        const auto beyond = beyond_page(svg);
        const std::string first = beyond.empty() ? "" : beyond.front();
        CHECK(first == "");
        CHECK(smallest > 4.5);
      }
    }
}

TEST_CASE("a figure is as wide on paper as was asked for") {
  ShotOptions options = figure_of(emulated("padded"), "stage", "figure.svg");
  options.panels->width = {85, true};
  CHECK(drawn(options).find("width=\"85mm\"") != std::string::npos);
  options.output = "figure.pdf";
  const std::string pdf = drawn(options);
  std::smatch box;
  const bool found = std::regex_search(pdf, box, std::regex("/MediaBox \\[ 0 0 ([0-9.]+) "));
  REQUIRE(found);
  CHECK(std::stod(box[1]) == doctest::Approx(85 / 25.4 * 72).epsilon(0.001));
  options.panels->width = {640, false}, options.output = "figure.svg";
  CHECK(drawn(options).find("width=\"640px\"") != std::string::npos);
}

TEST_CASE("the caption says settings, step, whose word the numbers are, and the command") {
  const std::string svg = drawn(figure_of(emulated("padded"), "stage", "figure.svg"));
  CHECK(svg.find(">Lockstep · transpose/padded</text>") != std::string::npos);
  CHECK(svg.find("64 rows and columns") != std::string::npos);
  CHECK(svg.find(">step ") != std::string::npos);
  CHECK(svg.find("counts: emulated") != std::string::npos);
  CHECK(svg.find("--panel stage") != std::string::npos);
}

TEST_CASE("text as curves needs no font") {
  ShotOptions options = figure_of(emulated("padded"), "code", "figure.svg");
  options.panels->outlines = true;
  const std::string svg = drawn(options);
  CHECK(well_formed(svg));
  CHECK(svg.find("<text") == std::string::npos);
  CHECK(svg.find("@font-face") == std::string::npos);
  CHECK(svg.find("aria-label=\"__shared__\"") != std::string::npos);
  options.output = "figure.pdf";
  CHECK(drawn(options).find("/FontFile") == std::string::npos);
}

TEST_CASE("Chinese figures bring their characters along") {
  ShotOptions options = figure_of(emulated("padded"), "numbers", "figure.svg");
  options.language = Language::chinese;
  CHECK(drawn(options).find("font-family: \"Lockstep CJK\"") != std::string::npos);
  options.output = "figure.pdf";
  CHECK(count(drawn(options), "/FontFile") >= 2);
}

TEST_CASE("the ground of a figure is white, the theme's, or dark") {
  const auto ground = [](bool dark, std::optional<FigureGround> asked) {
    ShotOptions options = figure_of(emulated("padded"), "stage", "figure.svg");
    options.dark = dark, options.panels->ground = asked;
    const std::string svg = drawn(options);
    const std::size_t at = svg.find("fill=\"", svg.find("<rect"));
    return svg.substr(at + 6, 7);
  };
  CHECK(ground(false, {}) == "#ffffff");
  CHECK(ground(true, {}) == "#111417");
  CHECK(ground(false, FigureGround::theme) == "#f4f4f1");
}

TEST_CASE("a panel that the lab does not have is refused with those that it has") {
  const auto bytes = shot_bytes(figure_of(emulated("padded"), "tower", "figure.svg"));
  REQUIRE_FALSE(bytes.ok());
  CHECK(bytes.error().exit == Exit::bad_input);
  CHECK(bytes.error().text().find("'tower'") != std::string::npos);
  CHECK(bytes.error().text().find("stage, headline, sentence, river, ladder, code") != std::string::npos);
}

TEST_CASE("panels stand below each other in the order asked for") {
  ShotOptions options = figure_of(emulated("padded"), "code", "figure.svg");
  options.panels->panels = {"code", "ladder"};
  const std::string svg = drawn(options);
  CHECK(svg.find("transpose/04_padded.cuh") < svg.find(">swizzled</text>"));
}

TEST_CASE("a page too low for its panels is refused with the height that they need") {
  ShotOptions options = figure_of(emulated("padded"), "code", "figure.svg");
  options.panels->size = {640, 240};
  const auto bytes = shot_bytes(options);
  REQUIRE_FALSE(bytes.ok());
  CHECK(bytes.error().text().find("too low") != std::string::npos);
}

TEST_CASE("a step on its way differs from the step where something moves") {
  ShotOptions options = figure_of(emulated("padded"), "river", "a.svg");
  options.step = 3;
  const std::string arrived = drawn(options);
  options.motion = 0.5f;
  CHECK(drawn(options) != arrived);
}

TEST_CASE("the pictures of a clip are the shots of its steps, and others only on the way between them") {
  const TemporaryFolder folder;
  ClipOptions clip;
  clip.shot = figure_of(emulated("padded"), "stage", "");
  clip.shot.panels->size = {800, 600};
  clip.first = 3, clip.last = 5, clip.output = folder.path();
  REQUIRE(write_clip(clip, [](int, int) { return true; }).ok());
  for (int step = 3; step <= 5; ++step) {
    ShotOptions shot = clip.shot;
    shot.step = step, shot.output = clip_frame_name(step);
    CHECK(text_of(folder / clip_frame_name(step)) == drawn(shot));
  }
  for (const auto& file : std::filesystem::directory_iterator(folder.path()))
    CHECK(std::regex_match(file.path().filename().string(), std::regex("step-0000[3-5](-[1-9])?\\.png")));
}

TEST_CASE("clip hands numbered pictures to ffmpeg, and writes nothing where that fails or is not there") {
  const TemporaryFolder folder;
  const std::string path = std::getenv("PATH");
  const auto fake = [&](const std::string& script) {
    const std::string text = "#!/bin/sh\n" + script;
    REQUIRE(write_file_atomically(folder / "ffmpeg",
                                  {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()})
                .ok());
    std::filesystem::permissions(folder / "ffmpeg", std::filesystem::perms::owner_all);
    ::setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
  };
  ClipOptions clip;
  clip.shot = figure_of(emulated("padded"), "sentence", "");
  clip.shot.panels->size = {640, 360};
  clip.first = 0, clip.last = 1, clip.output = folder / "clip.gif";
  // The last word is the file to write; the pictures lie beside it.
  fake("for last; do :; done\nls $(dirname $last) | tr '\\n' ' ' > $last\n");
  CHECK(write_clip(clip, [](int, int) { return true; }).ok());
  CHECK(text_of(folder / "clip.gif").starts_with("000000.png 000001.png"));
  CHECK(text_of(folder / "clip.gif").find("000011.png") != std::string::npos);  // two steps, a second
  clip.output = folder / "other.gif";
  fake("echo no such codec >&2\nexit 1\n");
  const Status failed = write_clip(clip, [](int, int) { return true; });
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().text().find("no such codec") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(clip.output));
  ::setenv("PATH", "/nowhere", 1);
  const Status missing = write_clip(clip, [](int, int) { return true; });
  ::setenv("PATH", path.c_str(), 1);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().exit == Exit::unavailable);
  CHECK(missing.error().text().find("-o other/") != std::string::npos);
}

TEST_CASE("the window saves a panel as a picture: the bytes that the command line writes") {
  const TemporaryFolder folder;
  App app(state_of("padded"), nullptr);
  app.show(emulated("padded"));
  app.go_to(7);
  app.on_key({Key::character, 'E', true});
  REQUIRE(app.menu.kind == MenuKind::picture);
  const auto rows = menu_rows(app);
  REQUIRE(rows.size() > 3);
  CHECK(rows[0].id == "panel/stage");
  choose_row(app, rows[0]);
  REQUIRE(app.menu.kind == MenuKind::save_picture);
  const std::string file = (folder / "a.svg").string();
  CHECK(app.save_picture("stage", file));
  ShotOptions shot = figure_of(emulated("padded"), "stage", "a.svg");
  shot.step = 7;
  CHECK(text_of(file) == drawn(shot));
  CHECK_FALSE(app.save_picture("stage", (folder / "a.txt").string()));
  CHECK(app.banner.has_value());
}

TEST_CASE("a right click on a panel offers its picture; a drag with that button does not") {
  App app(state_of("padded"), nullptr);
  app.show(emulated("padded"));
  SvgCanvas canvas(1600, 900, {});
  draw_app(canvas, app, {0, 0, 1600, 900});
  const auto code = std::find_if(app.panel_areas.begin(), app.panel_areas.end(),
                                 [](const auto& area) { return area.first == "code"; });
  REQUIRE(code != app.panel_areas.end());
  const Vec2 at = code->second.center();
  app.pointer_right(at, true), app.pointer_right({at.x + 40, at.y}, false);
  CHECK(app.menu.kind == MenuKind::none);
  app.pointer_right(at, true), app.pointer_right(at, false);
  REQUIRE(app.menu.kind == MenuKind::picture);
  CHECK(menu_rows(app)[std::size_t(app.menu.row)].id == "panel/code");
}

namespace {

// The command in the caption of an SVG, which is the last that stands there, in its lines.
std::string command_in(const std::string& svg) {
  std::string command;
  for (std::size_t end = svg.find("</text>"); end != svg.npos; end = svg.find("</text>", end + 1)) {
    const std::size_t begin = svg.rfind('>', end) + 1;
    const std::string line = svg.substr(begin, end - begin);
    if (line.starts_with("lockstep shot")) command.clear();
    command += (command.empty() ? "" : "\n") + line;
  }
  for (std::size_t at = command.find("&quot;"); at != command.npos; at = command.find("&quot;", at))
    command.replace(at, 6, "\"");
  return command;
}

void check_refused(const std::vector<std::string>& more, const std::string& part) {
  const TemporaryFolder folder;
  std::vector<std::string> words{"shot", "transpose", "-o", folder / "a.svg"};
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = run_program(words);
  CAPTURE(result.err);
  CHECK(result.exit == 2);
  CHECK(result.err.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("the command in a caption draws the same bytes again, as it stands there") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "figure.svg";
  const auto check = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--engine", "emulator", "-o", file});
    REQUIRE(run_program(words).exit == 0);
    const std::string first = text_of(file), command = command_in(first);
    CAPTURE(command);
    REQUIRE(command.starts_with("lockstep shot "));
    std::filesystem::remove(file);
    const std::string again = "cd " + quoted(folder.path()) + " && " + quoted(kProgram) +
                              command.substr(std::string("lockstep").size());
    REQUIRE(std::system(again.c_str()) == 0);
    CHECK(text_of(file) == first);
  };
  check({"shot",     "transpose", "--rung",  "padded",     "--set",   "n=64",   "--warp",
         "3",        "--step",    "20",      "--compare",  "naive",   "--lang", "zh",
         "--ground", "dark",      "--panel", "stage,code", "--width", "120mm"});
  // A lab that follows the last warp at first, with the first one followed.
  check({"shot", "threads", "--set", "block_x=33", "--block", "0", "--panel", "stage", "--width", "170mm"});
  // A word longer than a line.
  const std::string long_word(90, 'x');
  check({"shot", "graphs", "--timeline", R"({"search":"a )" + long_word + R"("})", "--panel", "stage",
         "--width", "85mm"});
}

TEST_CASE("wrong words for figures and clips are refused with what is allowed") {
  check_refused({"--panel", "tower"}, "stage, headline, sentence, river");
  check_refused({"--panel", "stage,"}, "commas");
  check_refused({"--panel", "stage", "--width", "20mm"}, "40mm to 600mm, or 160px to 7680px, not '20mm'");
  check_refused({"--panel", "stage", "--width", "85"}, "40mm to 600mm");
  check_refused({"--panel", "stage", "--width", "85mm", "--size", "640x480"}, "not both");
  check_refused({"--panel", "stage", "--ground", "blue"}, "white, theme or dark");
  check_refused({"--panel", "stage", "--ground", "white", "--theme", "dark"}, "does not go with");
  check_refused({"--width", "85mm"}, "--panel");
  const TemporaryFolder folder;
  const auto clip = [&](const std::vector<std::string>& more, const std::string& part) {
    std::vector<std::string> words{"clip", "transpose"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_program(words);
    CAPTURE(result.err);
    CHECK(result.exit == 2);
    CHECK(result.err.find(part) != std::string::npos);
  };
  const std::string gif = folder / "a.gif";
  clip({"-o", gif}, "--steps");
  clip({"-o", gif, "--steps", "9..3"}, "FIRST..LAST");
  clip({"-o", gif, "--steps", "0..999999"}, "steps 0 to ");
  clip({"-o", gif, "--steps", "0..1", "--fps", "0"}, "from 2 to 60");
  clip({"-o", folder / "a.avi", "--steps", "0..1"}, ".gif, .mp4 or .webp");
}
