// Every scene of every story that comes with the program, and all that there is to try: its state exists, its
// question has an answer, its numbers are the run's. And figures have the names of `run --json`.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "app/engine/run_file.hpp"
#include "app/stories/answer.hpp"
#include "app/stories/story_reader.hpp"
#include "app/stories/story_text.hpp"
#include "stories_support.hpp"

using namespace lockstep;
using Said = Verdict::Kind;

namespace {

template <class F>
void for_each_shipped_scene(F&& f) {
  StoryEngines engines;
  StoryFigures figures(engines.sources());
  for (const char* language : {"en", "zh"}) {
    const StoryShelf shelf = load_stories({in_source("assets/stories")}, language);
    for (const Error& fault : shelf.faults) FAIL_CHECK(fault.text());
    CHECK(!shelf.stories.empty());
    CHECK(!shelf.tries.empty());
    for (const auto* books : {&shelf.stories, &shelf.tries})
      for (const Story& story : *books)
        for (const StoryScene& scene : story.scenes) {
          CAPTURE(story.file.string());
          CAPTURE(scene.title);
          const Status shown = figures.show(story.lab, scene.setup);
          if (!shown) FAIL_CHECK(shown.error().text());
          if (shown) f(story, scene, figures);
        }
  }
}

// Every figure prints, and is to be had on a machine without a GPU.
void check_text(const InlineText& text, FigureSource& figures) {
  const auto computed = computed_text(text, figures);
  if (!computed) FAIL_CHECK(computed.error().text());
  for (const Inline& piece : text) {
    if (piece.kind != Inline::Kind::figure) continue;
    const auto value = piece.expression.evaluate(figures);
    CHECK_MESSAGE(value.ok(), piece.text);
    if (value && is_number(*value)) CHECK_MESSAGE(std::isfinite(number_of(*value)), piece.text);
  }
}

std::string typed(double x) {
  char text[64];
  std::snprintf(text, sizeof text, "%.12g", x);
  return text;
}

Said kind(const Ask& ask, const std::string& answer, FigureSource& figures) {
  const auto verdict = check_answer(ask, answer, figures);
  if (!verdict) FAIL_CHECK(verdict.error().text());
  if (verdict) CHECK(!verdict->reason.text().empty());
  return verdict ? verdict->kind : Said::unanswerable;
}

void check_number(const Ask& ask, FigureSource& figures) {
  const auto value = ask.answer->evaluate(figures);
  if (!value) CHECK_MESSAGE(value.error().exit == Exit::unavailable, value.error().text());
  if (!value) return;
  if (!is_number(*value)) return;
  const double right = number_of(*value);
  double allowed = std::holds_alternative<std::int64_t>(*value) ? 0 : std::abs(right) / 100;
  if (ask.tolerance)
    allowed = ask.tolerance->percent ? std::abs(right) * ask.tolerance->size / 100 : ask.tolerance->size;
  CHECK(kind(ask, typed(right), figures) == Said::right);
  CHECK(kind(ask, typed(right + allowed * 0.99), figures) == Said::right);
  const double off = allowed > 0 ? allowed * 1.01 : 1;
  CHECK(kind(ask, typed(right + off), figures) == Said::wrong);
  CHECK(kind(ask, typed(right - off), figures) == Said::wrong);
  for (const Tempting& one : ask.tempting) {
    const auto wrong = one.answer.evaluate(figures);
    REQUIRE(wrong.ok());
    const auto verdict = check_answer(ask, typed(number_of(*wrong)), figures);
    REQUIRE(verdict.ok());
    CHECK_MESSAGE(verdict->kind == Said::wrong, "a tempting answer is right: " << one.answer.text());
    CHECK(verdict->why != nullptr);
  }
}

void check_choice(const Ask& ask, FigureSource& figures) {
  for (std::size_t i = 0; i < ask.options.size(); ++i)
    CHECK(kind(ask, std::to_string(i + 1), figures) == (ask.options[i].right ? Said::right : Said::wrong));
  for (const Tempting& one : ask.tempting) {
    const auto option = one.answer.evaluate(figures);
    REQUIRE(option.ok());
    CHECK(number_of(*option) >= 1);
    CHECK(number_of(*option) <= double(ask.options.size()));
    CHECK(kind(ask, typed(number_of(*option)), figures) == Said::wrong);
  }
}

void paths_of(const nlohmann::json& json, const std::string& path, std::vector<std::string>& paths) {
  if (json.is_object())
    for (const auto& [name, value] : json.items())
      paths_of(value, path.empty() ? name : path + "." + name, paths);
  else if (json.is_number() || json.is_string() || json.is_boolean())
    paths.push_back(path);
}

const nlohmann::json& at_path(const nlohmann::json& json, const std::string& path) {
  const std::size_t point = path.find('.');
  const nlohmann::json& inner = json.at(path.substr(0, point));
  return point == std::string::npos ? inner : at_path(inner, path.substr(point + 1));
}

}  // namespace

TEST_CASE("every scene's step is found in its run, and every text and number can be printed") {
  for_each_shipped_scene([](const Story&, const StoryScene& scene, FigureSource& figures) {
    for (const Paragraph& one : scene.text) check_text(one.pieces, figures);
    for (const Paragraph& one : scene.why) check_text(one.pieces, figures);
    if (!scene.ask) return;
    check_text(scene.ask->question, figures), check_text(scene.ask->hint, figures);
    for (const Option& one : scene.ask->options) check_text(one.text, figures);
    for (const Tempting& one : scene.ask->tempting) check_text(one.why, figures);
  });
}

TEST_CASE("every question has an answer; one off by more than its tolerance is refused with a reason") {
  for_each_shipped_scene([](const Story&, const StoryScene& scene, FigureSource& figures) {
    if (!scene.ask) return;
    if (scene.ask->kind == Ask::Kind::number) check_number(*scene.ask, figures);
    if (scene.ask->kind == Ask::Kind::choice) check_choice(*scene.ask, figures);
    if (scene.ask->kind == Ask::Kind::set) {
      const auto verdict = check_setting(*scene.ask, figures);
      CHECK_MESSAGE(verdict.ok(), verdict.error().text());
    }
  });
}

TEST_CASE("what to set is not set so from the start, neither in a story nor in what there is to try") {
  for_each_shipped_scene([](const Story&, const StoryScene& scene, FigureSource& figures) {
    if (!scene.ask || scene.ask->kind != Ask::Kind::set) return;
    const auto verdict = check_setting(*scene.ask, figures);
    REQUIRE(verdict.ok());
    CHECK(verdict->kind == Said::wrong);
  });
}

namespace {

void check_same(const Story& a, const Story& b) {
  CAPTURE(a.slug);
  CHECK(a.slug == b.slug);
  if (b.language != "zh") return;  // not translated yet: shown in English
  REQUIRE(a.scenes.size() == b.scenes.size());
  for (std::size_t i = 0; i < a.scenes.size(); ++i) {
    const StoryScene &x = a.scenes[i], &y = b.scenes[i];
    CAPTURE(x.title);
    CHECK(x.setup.rung == y.setup.rung);
    CHECK(x.setup.settings == y.setup.settings);
    CHECK(x.setup.at == y.setup.at);
    CHECK(x.setup.frame == y.setup.frame);
    REQUIRE(x.ask.has_value() == y.ask.has_value());
    if (!x.ask) continue;
    CHECK(x.ask->kind == y.ask->kind);
    CHECK((x.ask->answer ? x.ask->answer->text() : "") == (y.ask->answer ? y.ask->answer->text() : ""));
    CHECK(x.ask->hides == y.ask->hides);
    REQUIRE(x.ask->options.size() == y.ask->options.size());
    for (std::size_t o = 0; o < x.ask->options.size(); ++o)
      CHECK(x.ask->options[o].right == y.ask->options[o].right);
    CHECK(x.ask->tempting.size() == y.ask->tempting.size());
  }
}

}  // namespace

TEST_CASE("stories and what there is to try have the same scenes and answers in both languages") {
  const StoryShelf english = load_stories({in_source("assets/stories")}, "en"),
                   chinese = load_stories({in_source("assets/stories")}, "zh");
  REQUIRE(english.stories.size() == chinese.stories.size());
  REQUIRE(english.tries.size() == chinese.tries.size());
  for (std::size_t s = 0; s < english.stories.size(); ++s) check_same(english.stories[s], chinese.stories[s]);
  for (std::size_t s = 0; s < english.tries.size(); ++s) check_same(english.tries[s], chinese.tries[s]);
}

TEST_CASE("every lab has at least four things to try, each with a question") {
  const StoryShelf shelf = load_stories({in_source("assets/stories")}, "en");
  for (const Lab* lab : labs()) {
    CAPTURE(lab->info().slug);
    const auto tries = std::find_if(shelf.tries.begin(), shelf.tries.end(),
                                    [&](const Story& one) { return one.lab == lab->info().slug; });
    REQUIRE(tries != shelf.tries.end());
    CHECK(tries->scenes.size() >= 4);
  }
}

TEST_CASE("the steps of the labs that are no memory accesses have the figures that their stage shows") {
  StoryEngines engines;
  StoryFigures figures(engines.sources());
  const auto value = [&](const char* text) {
    const auto found = Expression::parse(text, model_functions())->evaluate(figures);
    if (!found) FAIL_CHECK(found.error().text());
    return found ? number_of(*found) : -1;
  };
  SceneSetup setup;
  setup.rung = "chain", setup.settings = {"warps=8", "ilp=1"};
  REQUIRE(figures.show("scheduler", setup).ok());
  CHECK(value("step.cycle") == figures.view().step);
  CHECK(value("step.resident_warps + step.done") == value("step.warps"));
  CHECK(value("step.selected") == value("step.issued"));
  CHECK(value("step.long_scoreboard") <= 8);
  setup.rung = "stream", setup.settings = {"threads=256", "registers=32", "shared_bytes=0"};
  REQUIRE(figures.show("occupancy", setup).ok());
  CHECK(value("step.resident_warps") == value("run.occupancy.warps_per_sm"));
  CHECK(value("step.refused") == 1);
  CHECK(value("step.registers") == value("step.resident_warps * 32 * 32"));
  setup.rung = "scale", setup.settings = {}, setup.at = parse_step_key("cpu_synced");
  REQUIRE(figures.show("timing", setup).ok());
  CHECK(value("step.read_us") > value("step.kernel_us"));
  CHECK(value("step.overhead") < 1);
  setup.rung = "chain", setup.settings = {"kernels=9", "kernel_us=2"}, setup.at.reset();
  REQUIRE(figures.show("graphs", setup).ok());
  CHECK(std::abs(value("step.end_us") - value("step.start_us") - value("step.duration_us")) < 1e-6);
  CHECK(value("step.idle_us") >= value("step.idle_for_cpu_us"));
  const auto wrong = Expression::parse("step.colour", model_functions())->evaluate(figures);
  REQUIRE(!wrong.ok());
  CHECK(wrong.error().text().find("duration_us") != std::string::npos);
}

TEST_CASE("every figure of `run --json` has its path in expressions, with the same value") {
  StoryEngines engines;
  const auto run_one = engines.sources().run;
  for (const auto& [lab, rung] :
       {std::pair("transpose", "padded"), {"banks", "strided"}, {"gemm", "shared"}}) {
    Request request;
    request.lab = lab, request.rung = rung;
    request.params = *complete_params(find_lab(lab)->info(), rung, {});
    const auto run = run_one(request);
    REQUIRE(run.ok());
    const auto json = nlohmann::json::parse(run_to_json(*run));
    std::vector<std::string> paths;
    paths_of(json, "", paths);
    CHECK(paths.size() > 30);
    for (const std::string& path : paths) {
      if (path.starts_with("provenance.")) continue;
      CAPTURE(path);
      const auto found = run_figure(*run, path);
      if (!found) FAIL_CHECK(found.error().text());
      if (!found) continue;
      const nlohmann::json& wanted = at_path(json, path);
      if (is_number(*found))
        CHECK(number_of(*found) == (wanted.is_boolean() ? double(wanted.get<bool>()) : wanted.get<double>()));
      else
        CHECK(std::get<std::string>(*found) == wanted.get<std::string>());
    }
  }
}

TEST_CASE(
    "a run that several expressions ask for is made once; a name that there is not is the author's error") {
  StoryEngines engines;
  StoryFigures figures(engines.sources());
  SceneSetup setup;
  setup.rung = "naive", setup.settings = {"n=64"};
  REQUIRE(figures.show("transpose", setup).ok());
  const auto value = [&](const char* text) {
    return Expression::parse(text, model_functions())->evaluate(figures);
  };
  CHECK(number_of(*value("run.counts.global_store_sectors")) == 64 * 64);
  CHECK(number_of(*value("run(\"padded\").counts.global_store_sectors")) == 64 * 64 / 8);
  CHECK(number_of(*value("run(\"padded\", n=64).counts.global_load_sectors")) == 64 * 64 / 8);
  CHECK(number_of(*value("run(\"naive\", n=64).params.n + n + params.n")) == 192);
  CHECK(engines.runs == 2);
  CHECK(number_of(*value("device.sm_count")) == 132);
  for (const char* wrong : {"run.counts.sectors", "run.colour", "step.colour", "m", "device.colour",
                            "run(\"fast\").rung", "run(n=0).rung", "run(\"nolab/x\").rung", "run.params.m"}) {
    CAPTURE(wrong);
    const auto refused = value(wrong);
    REQUIRE(!refused.ok());
    CHECK(refused.error().exit == Exit::bad_input);
    CHECK(refused.error().text().starts_with("1:1: "));
  }
  for (const char* elsewhere : {"recorded(\"naive\", n=77).time.median_ms",
                                "recorded(\"naive\", n=16384).counts.barriers", "run.metrics.nothing"}) {
    CAPTURE(elsewhere);
    const auto refused = value(elsewhere);
    REQUIRE(!refused.ok());
    CHECK(refused.error().exit == Exit::unavailable);
  }
}

TEST_CASE("a step of several accesses has their sums, and those of the followed warp alone") {
  StoryEngines engines;
  StoryFigures figures(engines.sources());
  const auto value = [&](const char* text) {
    return number_of(*Expression::parse(text, model_functions())->evaluate(figures));
  };
  SceneSetup setup;
  setup.rung = "shared", setup.at = parse_step_key("multiply 15");
  REQUIRE(figures.show("gemm", setup).ok());
  CHECK(value("step.warp.accesses") > 0);
  CHECK(value("step.accesses") == 8 * value("step.warp.accesses"));  // 16 x 16 threads
  CHECK(value("step.wavefronts") == 8 * value("step.warp.wavefronts"));
  CHECK(value("step.sectors") == 0);
  setup.rung = "naive", setup.at = parse_step_key("write out, warp 4");
  REQUIRE(figures.show("transpose", setup).ok());
  CHECK(value("step.sectors") == 32);
  CHECK(value("step.fewest_sectors") == 4);
  CHECK(value("step.bytes") == 128);
  CHECK(value("step.lanes") == 32);
  CHECK(value("step.warp") == 4);
  CHECK(value("step.wavefronts") == 0);
  setup.at = parse_step_key("fill tile, warp 4");
  const Status lost = figures.show("transpose", setup);
  REQUIRE(!lost.ok());
  CHECK(lost.error().text().find("its steps are called 'read in, warp 0', 'write out, warp 0'") !=
        std::string::npos);
}
