// Pictures without a display.
#include <doctest/doctest.h>

#include "app/draw/canvas_svg.hpp"
#include "app/shell/shell.hpp"
#include "app_support.hpp"
#include "engine_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

ShotOptions shot(const char* output) {
  ShotOptions options;
  options.run = emulated("tiled", 128);
  options.output = output;
  return options;
}

// Width and height as the PNG's header says.
std::pair<int, int> size_of(const std::vector<std::uint8_t>& png) {
  const auto word = [&](std::size_t at) {
    return png[at] << 24 | png[at + 1] << 16 | png[at + 2] << 8 | png[at + 3];
  };
  REQUIRE(png.size() > 33);
  REQUIRE(std::string(png.begin() + 1, png.begin() + 4) == "PNG");
  return {word(16), word(20)};
}

std::string svg_of(ShotOptions options) {
  options.output = "picture.svg";
  const auto bytes = shot_bytes(options);
  REQUIRE(bytes.ok());
  return {bytes->begin(), bytes->end()};
}

}  // namespace

TEST_CASE("a PNG has the size that was asked for, times the scale, in both themes and languages") {
  for (bool dark : {false, true})
    for (Language language : {Language::english, Language::chinese}) {
      ShotOptions options = shot("a.png");
      options.width = 1280, options.height = 720, options.scale = 1.5f, options.dark = dark,
      options.language = language;
      const auto bytes = shot_bytes(options);
      REQUIRE_MESSAGE(bytes.ok(), (bytes.ok() ? "" : bytes.error().text()));
      CHECK(size_of(*bytes) == std::pair{1920, 1080});
    }
}

TEST_CASE("the same options give the same bytes") {
  CHECK(*shot_bytes(shot("a.png")) == *shot_bytes(shot("a.png")));
  CHECK(svg_of(shot("")) == svg_of(shot("")));
}

TEST_CASE("an SVG has real text in the language that was asked for") {
  ShotOptions options = shot("");
  CHECK(svg_of(options).find(">Settings</text>") != std::string::npos);
  options.language = Language::chinese;
  CHECK(svg_of(options).find(">Settings</text>") == std::string::npos);
}

TEST_CASE("a figure carries its provenance in the caption") {
  ShotOptions options = shot("");
  options.figure = true;
  const std::string text = svg_of(options);
  CHECK(text.find("counts: emulated") != std::string::npos);
  CHECK(text.find("transpose/tiled") != std::string::npos);
  CHECK(text.find("PARAMETERS") == std::string::npos);
}

TEST_CASE("a comparison shows both rungs' numbers and what the other one does in this step's place") {
  ShotOptions options = shot("");
  options.compare = emulated("padded", 128);
  const std::string text = svg_of(options);
  CHECK(text.find(">padded</text>") != std::string::npos);
  CHECK(text.find("15,872") != std::string::npos);  // conflicts of tiled
  CHECK(text.find("with padded: ") != std::string::npos);
}

TEST_CASE("step 7 of async shows one tile in use and the next one on its way") {
  ShotOptions options;
  options.run = emulated_run("gemm", "async", *complete_params(find_lab("gemm")->info(), "async", {}));
  options.step = 7;
  const std::string text = svg_of(options);
  CHECK(text.find(">k = 8..15 in use</text>") != std::string::npos);
  CHECK(text.find(">k = 16..23 filling</text>") != std::string::npos);
  CHECK(text.find(">multiply k = 8..15, copying k = 16..23</text>") != std::string::npos);
}

TEST_CASE("a step can be asked for") {
  ShotOptions options = shot("");
  options.step = 3;
  CHECK(svg_of(options).find(">step 4 of ") != std::string::npos);
}

TEST_CASE("a followed warp opens at a step of that warp") {
  ShotOptions options = shot("");
  options.run->request.warp = 2;
  CHECK(svg_of(options).find(">warp 2 ") != std::string::npos);
}

TEST_CASE("a picture that cannot be written leaves what was there") {
  const TemporaryFolder folder;
  ShotOptions options = shot("");
  options.output = folder / "nowhere" / "a.svg";
  CHECK_FALSE(render_shot(options).ok());
  options.output = folder / "a.svg";
  CHECK(render_shot(options).ok());
  CHECK(text_of(folder / "a.svg").starts_with("<svg"));
}

TEST_CASE("a picture too large for the renderer is refused in words") {
  ShotOptions options = shot("a.png");
  options.width = 40000, options.height = 30000;
  const auto bytes = shot_bytes(options);
  REQUIRE_FALSE(bytes.ok());
  CHECK(bytes.error().text().find("too large") != std::string::npos);
}

TEST_CASE("what a frame costs is measured for every run") {
  const auto lines = bench_ui({emulated("naive", 128)});
  REQUIRE(lines.size() == 2);  // the home's first
  for (const BenchLine& line : lines) {
    CHECK(line.unit == "ms");
    CHECK(line.value > 0);
  }
}

TEST_CASE("what a frame of a long timeline costs is measured from all of it to a few spans" *
          doctest::test_suite("slow")) {
  const auto lines = bench_timeline();
  CHECK(lines.size() == 6);
  for (const BenchLine& line : lines) CHECK(line.value > 0);
}
