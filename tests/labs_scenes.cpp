// What holds for every lab: steps have keys of their own, each step can be drawn and told, and a lab keeps
// nothing of a run outside its scene.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "app/draw/canvas_svg.hpp"
#include "app/engine/engine.hpp"
#include "app/labs/lab.hpp"
#include "places.hpp"

using namespace lockstep;
namespace fs = std::filesystem;

namespace {

// The default run of a rung by the emulator or a model; nothing where neither answers here.
std::optional<Run> default_run(const Lab& lab, const RungInfo& rung) {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = lab.info().slug, request.rung = rung.slug, request.engine = EngineKind::emulator;
  request.params = *complete_params(lab.info(), rung.slug, {});
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  return run ? std::optional(std::move(*run)) : std::nullopt;
}

template <class F>
void for_each_scene(F&& f) {
  for (const Lab* lab : labs())
    for (const RungInfo& rung : lab->info().rungs)
      if (auto run = default_run(*lab, rung)) {
        CAPTURE(lab->info().slug);
        CAPTURE(rung.slug);
        f(*open_run(std::move(*run)));
      }
}

// Some hundred steps of the axis, the first and the last ones among them.
std::vector<int> sampled(const Axis& axis, int most) {
  std::vector<int> steps;
  const int stride = std::max(1, axis.count() / most);
  for (int s = 0; s < axis.count(); s += stride) steps.push_back(s);
  if (axis.count() > 0 && steps.back() != axis.count() - 1) steps.push_back(axis.count() - 1);
  return steps;
}

// Lines of the sources below a folder that match, "file: line".
std::vector<std::string> lines_with(const char* folder, const std::regex& wanted) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(kSourceFolder) / folder)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      line = line.substr(0, line.find("//"));
      if (std::regex_search(line, wanted)) found.push_back(entry.path().filename().string() + ": " + line);
    }
  }
  return found;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("every step has a key of its own, and its text leads back to it") {
  int scenes = 0;
  for_each_scene([&](const LabScene& scene) {
    ++scenes;
    const Axis& axis = scene.axis();
    std::set<std::string> keys;
    for (int step = 0; step < axis.count(); ++step) keys.insert(to_text(axis.key(step)));
    CHECK(int(keys.size()) == axis.count());
    for (const int step : sampled(axis, 300)) {
      const auto key = parse_step_key(to_text(axis.key(step)));
      REQUIRE(key.has_value());
      CHECK(axis.step_of(*key) == step);
      CHECK(aligned_step(axis, step, axis).step == step);
    }
  });
  CHECK(scenes > 20);
}

TEST_CASE("phases cover the steps without a gap, and every one has a name and a colour") {
  for_each_scene([](const LabScene& scene) {
    int next = 0;
    for (const Phase& phase : scene.axis().phases()) {
      CHECK(phase.first == next);
      next += phase.count;
      CHECK_FALSE(scene.phase_name(phase).text().empty());
      CHECK_FALSE(scene.phase_place(phase).text().empty());
      (void)scene.phase_color(phase);
    }
    CHECK(next == scene.axis().count());
  });
}

TEST_CASE("every lab survives its steps without a screen, for any warp that is followed") {
  for_each_scene([](const LabScene& scene) {
    const Axis& axis = scene.axis();
    for (const int step : sampled(axis, 60)) {
      LabView view{step, step % 5};
      CHECK_FALSE(scene.step_title(view).text().empty());
      CHECK_FALSE(scene.sentence(view).text().empty());
      SvgCanvas canvas(1100, 800, light_theme().ground);
      StageEvents events;
      scene.stage(canvas, {view, {0, 0, 1100, 800}, light_theme()}, events);
      CHECK(canvas.finish().find("nan") == std::string::npos);
      (void)axis.lines(step);
    }
  });
}

TEST_CASE("no lab keeps in a static what it made of a run") {
  const auto found = lines_with(
      "app/labs",
      std::regex(
          R"(^\s*static (?!const \w+Lab lab;|constexpr |const std::vector<const Lab\*> (?:all|path))[^()]*[;{=])"));
  CHECK_MESSAGE(found.empty(), joined(found));
  CHECK(lines_with("app/labs", std::regex(R"(\bRecent<)")).empty());
}

TEST_CASE("the window names no lab") {
  std::string slugs;
  for (const Lab* lab : labs())
    if (lab->info().slug != "occupancy")
      slugs += (slugs.empty() ? "" : "|") + lab->info().slug;  // a run's field
  const auto found = lines_with("app/shell", std::regex("\"(" + slugs + ")\""));
  CHECK_MESSAGE(found.empty(), joined(found));
}
