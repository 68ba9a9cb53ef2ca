// The softmax lab on the emulator's runs: what its steps are, and that its picture is made of the kernel's
// numbers.
#include <doctest/doctest.h>

#include <cmath>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/number_text.hpp"
#include "app/engine/engine.hpp"
#include "app/labs/softmax/picture.hpp"

using namespace lockstep;

namespace {

Run emulated(const std::string& rung, Params params = {}, std::int64_t block = 0, std::int64_t warp = 0) {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "softmax", request.rung = rung, request.engine = EngineKind::emulator;
  request.block = block, request.warp = warp;
  request.params = *complete_params(find_lab("softmax")->info(), rung, params);
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return std::move(*run);
}

struct Shown {
  explicit Shown(Run made) : scene(std::make_shared<const Run>(std::move(made))) {}
  int last() const { return scene.steps.count() - 1; }
  std::int64_t warp() const { return scene.run().request.warp; }
  int opening() const { return scene.opening_step(warp()); }
  SoftmaxStep at(int step) const {
    const auto shown = softmax_step(scene, step, warp());
    REQUIRE(shown);
    return *shown;
  }
  std::string title(int step) const { return scene.step_title({step, warp()}).text(); }
  std::string titles() const {
    std::string text;
    for (int s = 0; s <= last(); ++s) text += title(s) + "\n";
    return text;
  }
  std::string sentence(int step) const { return scene.sentence({step, warp()}).text(); }
  const SoftmaxScene scene;
};

Params words(std::initializer_list<std::pair<const char*, Value>> given) {
  Params params;
  for (const auto& [name, value] : given) params[name] = value;
  return params;
}
std::string text_of(const std::vector<FormulaLine>& lines) {
  std::string text;
  for (const FormulaLine& line : lines) text += line.text + "\n";
  return text;
}
double sum_of(const RowBarsPicture& p) {
  double sum = 0;
  for (const RowBar& bar : p.bars)
    if (bar.value > 0) sum += bar.value;
  return sum;
}

const char* const kInputs[] = {"random", "rising", "equal", "huge", "one", "none"};
const char* const kRungs[] = {"naive", "safe", "online", "fused", "vectorized"};

}  // namespace

TEST_CASE("the steps of each rung, by the names that the kernel gives them") {
  const Params two = words({{"cols", std::int64_t{64}}});
  CHECK(Shown(emulated("naive", two)).titles() ==
        "sum over x[0–31]\nsum over x[32–63]\ndivide, p[0–31]\ndivide, p[32–63]\n");
  CHECK(Shown(emulated("safe", two)).titles() ==
        "maximum of x[0–31]\nmaximum of x[32–63]\nsum over x[0–31]\nsum over x[32–63]\ndivide, p[0–31]\n"
        "divide, p[32–63]\n");
  CHECK(Shown(emulated("online", two)).titles() ==
        "maximum and sum of x[0–31]\nmaximum and sum of x[32–63]\ndivide, p[0–31]\ndivide, p[32–63]\n");
  CHECK(Shown(emulated("fused")).titles() ==
        "load the row\nmaximum of the row\nsum over the row\ndivide and write the row\n");
  CHECK(Shown(emulated("vectorized")).titles() ==
        "load the row\nmaximum and sum of each warp\nmerge the warps' sums\ndivide and write the row\n");
}

TEST_CASE("online opens where the maximum moves, naive where the sum is lost, vectorized at the merge") {
  const Shown online(emulated("online"));
  const SoftmaxStep s = online.at(online.opening());
  CHECK(*s.after.m > *s.before.m);
  CHECK(online.sentence(s.step).find("shrinks by e^(m − m') = " + figure_text(*s.after.factor)) !=
        std::string::npos);
  const Shown naive(emulated("naive", words({{"scale", 200.0}})));
  CHECK(std::isfinite(*naive.at(naive.opening()).before.l));
  CHECK(*naive.at(naive.opening()).after.l == INFINITY);
  CHECK(naive.sentence(naive.opening()).find("beyond the largest fp32") != std::string::npos);
  const Shown merged(emulated("vectorized"));
  CHECK(merged.at(merged.opening()).part == SoftmaxPart::merge);
}

TEST_CASE("the bars so far add up to the l that the kernel showed, tile by tile") {
  for (const char* rung : kRungs)
    for (const char* input : kInputs) {
      if (std::string(rung) == "naive" && (std::string(input) == "huge" || std::string(input) == "none"))
        continue;
      const Shown shown(
          emulated(rung, words({{"input", std::string(input)}, {"cols", std::int64_t{200}}}), 0, 0));
      CAPTURE(rung);
      CAPTURE(input);
      for (int step = 0; step <= shown.last(); ++step) {
        const SoftmaxStep s = shown.at(step);
        const RowBarsPicture bars = weights_picture(s, light_theme());
        CAPTURE(step);
        if (s.part == SoftmaxPart::divide || !s.after.l || bars.bars.empty()) continue;
        CHECK(sum_of(bars) == doctest::Approx(*s.after.l).epsilon(1e-5));
      }
      const SoftmaxStep end = shown.at(shown.last());
      const RowBarsPicture p = weights_picture(end, light_theme());
      REQUIRE(p.bars.size() == end.p.size());
      for (std::size_t c = 0; c < p.bars.size(); ++c) CHECK(p.bars[c].value == end.p[c]);
    }
}

TEST_CASE("the formula holds with the numbers that stand in it") {
  for (const char* input : kInputs) {
    const Shown shown(
        emulated("online", words({{"input", std::string(input)}, {"cols", std::int64_t{333}}}), 1, 2));
    for (int step = 0; step <= shown.last(); ++step) {
      const SoftmaxStep s = shown.at(step);
      CHECK(s.row == 6);
      if (s.part != SoftmaxPart::tile) continue;
      CAPTURE(input);
      CAPTURE(step);
      const double l = s.before.l ? *s.before.l : 0;
      const double joined = *s.after.m == -INFINITY ? 0 : std::exp(*s.after.m_tile - *s.after.m);
      CHECK(*s.after.l == doctest::Approx(l * *s.after.factor + *s.after.l_tile * joined).epsilon(1e-6));
      const std::string text = text_of(formula_lines(s));
      CHECK(text.find("= " + figure_text(*s.after.m)) != std::string::npos);
      CHECK(text.find(" = " + figure_text(*s.after.l) + "\n") != std::string::npos);
    }
  }
}

TEST_CASE("the line over the scores is the running maximum, and never falls") {
  const Shown shown(emulated("online", words({{"input", std::string("random")}})));
  for (int step = 0; step < 8; ++step) {
    const SoftmaxStep s = shown.at(step);
    const auto line = scores_picture(s, light_theme()).line;
    REQUIRE(line.size() == std::size_t(step + 1));
    double most = -INFINITY;
    for (std::size_t i = 0; i < line.size(); ++i) {
      for (std::int64_t c = line[i].cols.first; c <= line[i].cols.last(); ++c)
        most = std::max(most, s.x[std::size_t(c)]);
      CHECK(line[i].value == most);
    }
    CHECK(line.back().value == *s.after.m);
  }
}

TEST_CASE("a factor per tile so far: 1 where the maximum stands, below 1 where it moves") {
  const Shown shown(emulated("online"));
  for (int step = 0; step <= shown.last(); ++step) {
    const SoftmaxStep s = shown.at(step);
    const RowSharesPicture p = factors_picture(s);
    REQUIRE(p.shares.size() == std::size_t(std::min(step + 1, 8)));
    int below = 0;
    for (std::size_t i = 1; i < p.shares.size(); ++i) below += p.shares[i].value < 1;
    CHECK(below == times_moved(s));
  }
  const Shown vectorized(emulated("vectorized", words({{"cols", std::int64_t{1024}}})));
  const RowSharesPicture warps = factors_picture(vectorized.at(2));
  REQUIRE(warps.shares.size() == 8);
  for (const RowShare& share : warps.shares) {
    double m = -INFINITY, all = -INFINITY;
    const SoftmaxStep s = vectorized.at(2);
    for (std::int64_t c = 0; c < s.cols; ++c) {
      all = std::max(all, s.x[std::size_t(c)]);
      if (share.cols.holds(c)) m = std::max(m, s.x[std::size_t(c)]);
    }
    CHECK(share.value == doctest::Approx(std::exp(m - all)).epsilon(1e-5));
  }
}

TEST_CASE("reads: what each source says, and for this rung what was counted") {
  const int stated[] = {2, 3, 2, 1, 1};
  for (std::size_t r = 0; r < 5; ++r) {
    const Shown shown(emulated(kRungs[r]));
    const auto counts = read_counts(shown.at(shown.last()));
    REQUIRE(counts.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(counts[i].stated == stated[i]);
      CHECK(counts[i].counted.has_value() == (i == r));
    }
    CHECK(*counts[r].counted == double(stated[r]));  // rows of 256 floats start at sectors
  }
  const Shown online(emulated("online"));
  CHECK(*read_counts(online.at(3))[2].counted == 0.5);  // 4 of 8 tiles, once
  const Shown last_block(emulated("safe", words({{"rows", std::int64_t{5}}}), 1));
  CHECK(*read_counts(last_block.at(last_block.last()))[1].counted == 3);  // one row for four warps
}

TEST_CASE("rows that naive lost are marked, with the word and their number") {
  const Shown shown(emulated("naive", words({{"scale", 1000.0}, {"rows", std::int64_t{6}}})));
  const RowListPicture list = rows_picture(shown.at(0), 100);
  REQUIRE(list.rows.size() == 6);
  for (const RowEntry& row : list.rows) CHECK(row.trouble == "NaN");
  CHECK(list.subtitle == "6 of 6 rows are not finite");
  const Shown sound(emulated("safe", words({{"scale", 1000.0}, {"rows", std::int64_t{600}}}), 70, 3));
  const RowListPicture part = rows_picture(sound.at(0), 20);
  REQUIRE(part.rows.size() == 20);
  CHECK(part.rows.front().row == 273);
  CHECK(part.rows[10].followed);
  CHECK(part.rows[10].row == 283);
  CHECK(part.subtitle == "rows 273 to 292 of 600; click to follow");
  for (const RowEntry& row : part.rows) CHECK(row.trouble.empty());
}

TEST_CASE("bars begin at zero: the axis holds it, a negative score hangs below it, as long as it is") {
  for (const char* rung : kRungs) {
    const Shown shown(emulated(rung));
    CAPTURE(rung);
    const RowBarsPicture p = scores_picture(shown.at(0), light_theme());
    CHECK(p.bottom < 0);
    CHECK(p.top > 0);
    SvgCanvas canvas(800, 400, {});
    draw_row_bars(canvas, light_theme(), {0, 0, 800, 400}, p);
    const auto rect = row_bars_columns(light_theme(), {0, 0, 800, 400}, p, {0, 256});
    const double zero = rect.bottom() + p.bottom / (p.top - p.bottom) * rect.h;
    CHECK(zero < rect.bottom());
    CHECK(zero > rect.y);
  }
  // 1 and -1 are bars of one length that meet at zero: 100 px of 200 each.
  RowBarsPicture two;
  two.id = "two", two.bars = {{1, color::shared}, {-1, color::hbm}}, two.bottom = -1, two.top = 1;
  SvgCanvas canvas(300, 300, {});
  draw_row_bars(canvas, light_theme(), {0, 0, 300, 224}, two);
  const std::string svg = canvas.finish();
  const auto count = [&](const std::string& text) {
    int found = 0;
    for (std::size_t at = svg.find(text); at != svg.npos; at = svg.find(text, at + 1)) ++found;
    return found;
  };
  CHECK(count("height=\"100\"") == 2);
  const RowBarsPicture weights = weights_picture(Shown(emulated("online")).at(3), light_theme());
  CHECK(weights.bottom == 0);
}

TEST_CASE("headline: the rung's reads of a row, what was counted so far, and that one would do") {
  const int stated[] = {2, 3, 2, 1, 1};
  for (std::size_t r = 0; r < 5; ++r) {
    const Shown shown(emulated(kRungs[r]));
    CAPTURE(kRungs[r]);
    for (int step = 0; step <= shown.last(); ++step) {
      const auto figures = shown.scene.headline({step, shown.warp()});
      REQUIRE(figures.size() == 2);
      CHECK(figures[0].value == std::to_string(stated[r]));
      CHECK(figures[0].trouble == (stated[r] > 1));
      CHECK(figures[1].value == "1");
    }
    CHECK(passes_over_x(shown.at(shown.last())) == double(stated[r]));
  }
}

TEST_CASE("while a tile is summed its weights grow from nothing, and l from what it was") {
  const Shown shown(emulated("online"));
  const SoftmaxStep s = shown.at(3);
  const RowBarsPicture begun = weights_picture(s, light_theme(), 0),
                       half = weights_picture(s, light_theme(), 0.5f),
                       done = weights_picture(s, light_theme());
  for (std::int64_t c = s.now.first; c <= s.now.last(); ++c) {
    CHECK(begun.bars[std::size_t(c)].value == 0);
    CHECK(half.bars[std::size_t(c)].value == doctest::Approx(done.bars[std::size_t(c)].value / 2));
  }
  CHECK(begun.labels.front().text == "l " + figure_text(*s.before.l));
  CHECK(done.labels.front().text == "l " + figure_text(*s.after.l));
}

TEST_CASE("a run that is no softmax has no picture") {
  Run run = emulated("online");
  const Shown s(run);
  CHECK_FALSE(softmax_step(s.scene, -1, 0));
  CHECK_FALSE(softmax_step(s.scene, s.last() + 1, 0));
  run.request.params["tile"] = std::int64_t{-3};
  CHECK(Shown(run).at(0).tile == 256);
  const auto has_picture = [&] {
    const SoftmaxScene scene(std::make_shared<const Run>(run));
    return softmax_step(scene, 0, 0).has_value();
  };
  CHECK(has_picture());
  run.launches.front().trace.block = 700;
  CHECK_FALSE(has_picture());
  run.launches.front().trace.block = 0;
  run.launches.front().views[1].shape = {3, 3};
  CHECK_FALSE(has_picture());
  run.launches.front().views.clear();
  CHECK_FALSE(has_picture());
}
