// The attention lab on the emulator's runs: what its steps are, what it says of rows, and the curves' model
// against the counts.
#include <doctest/doctest.h>

#include <map>
#include <memory>

#include <algorithm>
#include <cmath>

#include "app/draw/number_text.hpp"
#include "app/engine/engine.hpp"
#include "app/labs/attention/picture.hpp"
#include "app/model/gpu.hpp"
#include "app/model/progress.hpp"
#include "kernels/attention/traffic.hpp"
#include "kernels/ladder.hpp"

using namespace lockstep;

namespace {

Run emulated(const std::string& rung, Params params = {}, std::int64_t block = 0) {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "attention", request.rung = rung, request.engine = EngineKind::emulator,
  request.block = block;
  request.params = *complete_params(find_lab("attention")->info(), rung, params);
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return std::move(*run);
}

Params problem(std::int64_t seq, std::int64_t tile_q, std::int64_t tile_k, const char* causal = "no") {
  return {{"seq", seq}, {"tile_q", tile_q}, {"tile_k", tile_k}, {"causal", std::string(causal)}};
}

struct Shown {
  explicit Shown(Run made) : scene(std::make_shared<const Run>(std::move(made))) {}
  int last() const { return scene.steps.count() - 1; }
  AttentionStep at(int step) const {
    inputs[step] = std::make_unique<StageInput>(StageInput{{step}, {0, 0, 900, 700}, light_theme()});
    return *attention_step_of(scene, *inputs[step]);
  }
  std::string titles(int count) const {
    std::string text;
    for (int s = 0; s < std::min(count, last() + 1); ++s) text += scene.step_title({s}).text() + "\n";
    return text;
  }
  const AttentionScene scene;
  const MarkedAxis& axis = scene.steps;
  const AttentionSizes sizes = *scene.sizes;
  mutable std::map<int, std::unique_ptr<StageInput>> inputs;  // what is drawn refers to its input
};

std::int64_t loaded_bytes(const Run& run) { return run.counts->global_load_sectors * 32; }

}  // namespace

TEST_CASE("flash2: a block keeps its tile of Q and walks along K and V") {
  CHECK(Shown(emulated("flash2", problem(64, 32, 32))).titles(10) ==
        "load a tile of Q: Q tile 0, K tile 0\n"
        "load a tile of K and V: Q tile 0, K tile 0\n"
        "scores: Q tile 0, K tile 0\n"
        "new maximum and sum: Q tile 0, K tile 0\n"
        "rescale O, add P·V: Q tile 0, K tile 0\n"
        "load a tile of K and V: Q tile 0, K tile 1\n"
        "scores: Q tile 0, K tile 1\n"
        "new maximum and sum: Q tile 0, K tile 1\n"
        "rescale O, add P·V: Q tile 0, K tile 1\n"
        "divide and store: Q tile 0, K tile 1\n");
}

TEST_CASE("flash1: with a tile of K and V the block walks down Q, and every trip has an exchange") {
  const Shown s(emulated("flash1", problem(64, 32, 32)));
  CHECK(s.titles(7) ==
        "load a tile of K and V: Q tile 0, K tile 0\n"
        "load a tile of Q: Q tile 0, K tile 0\n"
        "scores: Q tile 0, K tile 0\n"
        "warps exchange maxima and sums: Q tile 0, K tile 0\n"
        "new maximum and sum: Q tile 0, K tile 0\n"
        "rescale O, add P·V: Q tile 0, K tile 0\n"
        "load a tile of Q: Q tile 1, K tile 0\n");
}

TEST_CASE("split-Q: a warp's share of the tile are whole rows; split-K: columns") {
  const auto shares = [](const char* rung) {
    const Shown s(emulated(rung, problem(64, 32, 32)));
    const int step = find_marked(s.axis, attention_step::output, 0);
    return attention_picture(s.at(step), 64).shares;
  };
  const auto rows = shares("flash2"), columns = shares("flash1");
  REQUIRE(rows.size() == 4);
  REQUIRE(columns.size() == 4);
  for (int w = 0; w < 4; ++w) {
    CHECK(rows[std::size_t(w)].rows == Span{8 * w, 8});
    CHECK(rows[std::size_t(w)].cols == Span{0, 32});
    CHECK(columns[std::size_t(w)].rows == Span{0, 32});
    CHECK(columns[std::size_t(w)].cols == Span{8 * w, 8});
  }
}

TEST_CASE("the picture opens where maxima move, and the row told in full is the one that lost most") {
  const Shown s(emulated("flash2", problem(128, 32, 32)));
  const int step = s.scene.opening_step(0);
  const RowChanges changes = changes_of(s.sizes, s.axis, step);
  CHECK(changes.moved > 0);
  CHECK(s.at(step).focus == changes.least_row);
  for (int other = 0; other <= s.last(); ++other)
    CHECK(changes_of(s.sizes, s.axis, other).moved <= changes.moved);
  const auto m = s.axis.shown.history(attention_value::m, std::uint32_t(changes.least_row));
  for (std::size_t k = 1; k < m.size(); ++k)
    if (m[k].step == step)
      CHECK(changes.least_factor == doctest::Approx(std::exp(m[k - 1].value - m[k].value)).epsilon(1e-5));
}

TEST_CASE(
    "with all scores equal no maximum ever moves; with one huge key every row that sees it moves once") {
  Params equal = problem(128, 32, 32), huge = equal;
  equal["input"] = std::string("equal"), huge["input"] = std::string("huge");
  const Shown none(emulated("flash2", equal));
  CHECK(none.scene.moves_until(none.last()) == 0);
  const Shown one(emulated("flash2", huge));
  std::int64_t rows = 0;
  for (std::int64_t row = 0; row < 32; ++row) {
    const auto m = one.axis.shown.history(attention_value::m, std::uint32_t(row));
    bool jumped = false;
    for (std::size_t k = 1; k < m.size(); ++k) jumped |= m[k].value > m[k - 1].value + 4;
    rows += jumped;
  }
  CHECK(rows > 8);
  CHECK(one.scene.moves_until(one.last()) >= rows);
}

TEST_CASE("the mask hides what no row sees: those tiles are no steps, those cells are marked") {
  const Shown s(emulated("flash2", problem(128, 32, 32, "yes"), 1));
  CHECK(find_marked(s.axis, attention_step::scores, 1 * 4 + 1) >= 0);
  CHECK(find_marked(s.axis, attention_step::scores, 1 * 4 + 2) == -1);
  const AttentionPicture p = attention_picture(s.at(s.last()), 128);
  CHECK(p.values[32 * 128 + 33] == attention_cell::hidden);
  CHECK(p.values[32 * 128 + 32] > attention_cell::kept);
  CHECK(p.values[0] == attention_cell::elsewhere);
  CHECK(s.sizes.pairs({32, 32}, {32, 32}) == 32 * 33 / 2);
  CHECK(s.sizes.pairs({32, 32}, {0, 32}) == 32 * 32);
  CHECK(s.scene.flop_until(s.last()) == 4.0 * 32 * (32 * 32 + 32 * 33 / 2));
}

TEST_CASE("the legend names the colours that are in the picture, and no others") {
  const Shown s(emulated("flash2", problem(128, 32, 32, "yes"), 1));
  const auto labels = [&](int step) {
    const AttentionStep now = s.at(step);
    const AttentionPicture p = attention_picture(now, 128);
    std::string all;
    for (const LegendItem& item : attention_legend(now, &p)) all += item.label + "; ";
    return all;
  };
  CHECK(labels(0) == "not yet; hidden by the mask; other blocks; in use now; in shared memory; this step; ");
  CHECK(labels(s.last()) ==
        "e^(s − m), near 1; near 0; hidden by the mask; other blocks; in use now; in shared memory; this "
        "step; ");
}

TEST_CASE("the sums told of a row are the kernel's: l' = l factor + what the tile added") {
  const Shown s(emulated("flash2", problem(128, 32, 32)));
  const int step = s.scene.opening_step(0);
  const auto lines = row_lines(s.at(step));
  REQUIRE(lines.size() >= 3);
  CHECK(lines[2].formula.starts_with("l' = "));
  const auto row = std::uint32_t(s.at(step).focus);
  double added = 0;
  const double m = *s.axis.shown.at(attention_value::m, row, step);
  const AttentionTile tile = tile_of(s.sizes, s.axis, step);
  for (std::int64_t col = tile.j * 32; col < tile.j * 32 + 32; ++col)
    added += std::exp(*s.axis.shown.at(attention_value::s, std::uint32_t(row * 128 + col), step) - m);
  CHECK(lines[2].formula.find(" + " + figure_text(added) + " = ") != std::string::npos);
}

TEST_CASE("the curves' bytes are the counted ones where tiles are whole, with and without a mask" *
          doctest::test_suite("slow")) {
  for (const char* rung : {"standard", "flash1", "flash2", "flash2_mma"})
    for (const char* causal : {"no", "yes"})
      for (const std::int64_t seq : {64, 128, 192}) {
        CAPTURE(rung);
        CAPTURE(causal);
        CAPTURE(seq);
        const Run run = emulated(rung, problem(seq, 32, 32, causal));
        const std::int64_t bytes = std::string(rung) == "flash2_mma" ? 2 : 4;
        const AttentionShape shape{seq, 32, 1, 32, 32, bytes, std::string(causal) == "yes"};
        CHECK(double(loaded_bytes(run)) == attention_load_bytes(rung, shape));
      }
}

TEST_CASE("tiles twice as high read K and V half as often: N^2 d^2 / M") {
  AttentionShape small{4096, 64, 1, 32, 32, 2, false}, large = small;
  large.tile_q = 64;
  const double kv_small = attention_load_bytes("flash2", small) - attention_least_bytes(small) / 3,
               kv_large = attention_load_bytes("flash2", large) - attention_least_bytes(large) / 3;
  CHECK(kv_small == 2 * kv_large);
  CHECK(attention_kept_bytes("standard", small) / attention_kept_bytes("flash2", small) > 4096);
}

TEST_CASE("a run of a stranger, with sizes that do not go together, draws nothing and says so") {
  Run run = emulated("flash2", problem(64, 32, 32));
  run.request.params["heads"] = std::int64_t{7};
  const AttentionScene other(std::make_shared<const Run>(run));
  CHECK_FALSE(other.sizes.has_value());
  CHECK(other.sentence({0}).id == "This run has no steps.");
  run.request.params["heads"] = std::int64_t{1}, run.request.params["tile_k"] = std::int64_t{1};
  CHECK_NOTHROW(Shown(run).at(3));
}

TEST_CASE(
    "a backward pass computes the probabilities once more and ends with gradients, not with a division") {
  const Shown s(emulated("backward", problem(64, 32, 32)));
  std::vector<std::string> kernels;
  for (const Launch& launch : s.scene.run().launches) kernels.push_back(launch.kernel);
  CHECK(kernels.back() == "gradient_q");
  int again = 0, ends = 0;
  for (int step = 0; step <= s.last(); ++step) {
    const AttentionStep now = s.at(step);
    if (now.mark == attention_step::recompute) {
      ++again;
      const AttentionPicture p = attention_picture(now, 64);
      CHECK(now.backward);
      CHECK(p.values[std::size_t(now.q_rows().first * 64 + now.k_rows().first)] > attention_cell::kept);
    }
    const Message said = s.scene.sentence({step});
    ends += said.id.find("gradients go from registers") != std::string::npos;
    if (now.backward) CHECK(said.id.find("division") == std::string::npos);
  }
  CHECK(again == 2 + 2);  // a tile of K meets two of Q, and a tile of Q two of K
  CHECK(ends == 2);
}

TEST_CASE("the headline speaks of the ladder's size: the model's bytes there, and what the others move") {
  const AttentionShape real{4096, 128, 16, 32, 32, 2, false};
  const std::int64_t l2 = Gpu{}.l2_bytes;
  CHECK(double(real.heads) * 4096 * 4096 * 4 > double(l2));  // the scores exceed the L2
  const auto text = [](const HeadFigure& f) { return f.value + " " + f.unit; };
  for (const char* rung : {"standard", "flash2"}) {
    CAPTURE(rung);
    const Shown s(emulated(rung, problem(64, 32, 32)));
    for (int step = 0; step <= s.last(); ++step) {
      const auto figures = s.scene.headline({step});
      REQUIRE(figures.size() == 2);
      CHECK(text(figures[0]) == bytes_text(attention_memory_bytes(rung, real, l2)));
      CHECK(figures[0].provenance.starts_with("modelled"));
      CHECK(figures[0].trouble == (std::string(rung) == "standard"));
    }
  }
  const double standard = attention_memory_bytes("standard", real, l2),
               flash2 = attention_memory_bytes("flash2", real, l2);
  // Q, K, V in and O, l out; the scores written once and read three times, P written and read.
  const double rows = 16 * 4096, once = 3 * rows * 128 * 2 + rows * 128 * 4 + rows * 4;
  CHECK(flash2 == once);
  CHECK(standard == once + 4 * rows * 4096 * 4 + 2 * rows * 4096 * 2);
  CHECK(memory_bars(Shown(emulated("flash2", problem(64, 32, 32))).scene).bars.size() == 8);
}

namespace {

// The lines of a kernel file, from 1.
std::vector<std::string> lines_of_file(const std::string& file) {
  std::vector<std::string> lines{""};
  std::string line;
  for (const char c : std::string(kernel_source(file))) {
    if (c != '\n') {
      line += c;
      continue;
    }
    lines.push_back(line), line.clear();
  }
  return lines;
}

}  // namespace

TEST_CASE("the lines of a step are those that do its work: no mark, nothing that is only shown") {
  const std::pair<const char*, const char*> rungs[] = {{"standard", "attention/01_standard.cuh"},
                                                       {"flash1", "attention/02_flash1.cuh"},
                                                       {"flash2", "attention/03_flash2.cuh"},
                                                       {"backward", "attention/05_backward.cuh"}};
  for (const auto& shown : rungs) {
    const char *rung = shown.first, *file = shown.second;
    CAPTURE(rung);
    const Shown s(emulated(rung, problem(64, 32, 32)));
    const auto text = lines_of_file(file);
    for (int step = 0; step <= s.last(); ++step) {
      CAPTURE(step);
      const SourceLines lines = s.axis.lines(step);
      REQUIRE_FALSE(lines.lines.empty());
      if (lines.file != source_id(s.scene.run(), file)) continue;  // backward launches flash2 as well
      for (const std::uint16_t line : lines.lines) {
        CAPTURE(text[line]);
        CHECK(text[line].find("begin_step") == std::string::npos);
        CHECK(text[line].find("show") == std::string::npos);
      }
      const std::string said = s.scene.sentence({step}).text();
      const std::string word = lines.lines.size() > 1 ? "Lines " : "Line ";
      CHECK(said.find(word + std::to_string(lines.lines.front())) == 0);
    }
  }
  const Shown flash2(emulated("flash2", problem(64, 32, 32)));
  const int softmax = find_marked(flash2.axis, attention_step::softmax, 0);
  bool rescales = false;
  for (const std::uint16_t line : flash2.axis.lines(softmax).lines)
    rescales |=
        lines_of_file("attention/03_flash2.cuh")[line].find("out[r][c] *= factor") != std::string::npos;
  CHECK(rescales);
}

namespace {

// How many gradients the steps add up to what the kernel stores, of those that it stores.
int gradients_compared(const Shown& s) {
  int compared = 0;
  for (int step = 0; step <= s.last(); ++step) {
    if (s.axis.marked[std::size_t(step)].mark != attention_step::finish || !s.scene.makes_gradients(step))
      continue;
    for (const AttentionOutput& out : attention_picture(s.at(step), 64).outputs) {
      const std::uint16_t id = out.name == "dQ" ? 6 : out.name == "dK" ? 7 : 8;
      const Launch& launch = s.scene.run().launches[std::size_t(s.axis.launch_of(step))];
      const ViewInfo& view = *launch.view(id);
      const Buffer* buffer = nullptr;
      for (const Buffer& b : s.scene.run().buffers)
        if (b.view == id) buffer = &b;
      REQUIRE(buffer);
      const std::int64_t d = s.sizes.head_dim;
      REQUIRE(out.values.size() == std::size_t(out.rows.count * d));
      CAPTURE(out.name);
      double error = 0, size = 0;
      for (std::size_t e = 0; e < out.values.size(); ++e) {
        const double stored = element(view, *buffer, std::uint64_t(out.rows.first * d) + e);
        error = std::max(error, std::abs(double(out.values[e]) - stored)),
        size = std::max(size, std::abs(stored));
      }
      CHECK(error < 4e-3 * size);  // P and dS may have gone through bf16
      ++compared;
    }
  }
  return compared;
}

}  // namespace

TEST_CASE(
    "backward names dV and dK, then dQ, and at the end of their launch they are what the kernel stores") {
  const Shown s(emulated("backward", problem(64, 32, 32)));
  const auto names = [&](int step) {
    std::string all;
    for (const AttentionOutput& out : attention_picture(s.at(step), 64).outputs) all += out.name + " ";
    return all;
  };
  const int keys = find_marked(s.axis, attention_step::gradient_k, 0);
  REQUIRE(keys > 0);
  CHECK(s.scene.opening_step(0) == keys);
  CHECK(names(keys) == "dV dK ");
  CHECK(names(find_marked(s.axis, attention_step::gradient_q, 0)) == "dQ ");
  CHECK(names(find_marked(s.axis, attention_step::softmax, 0)) == "O ");
  CHECK(gradients_compared(s) == 3);
}

TEST_CASE("backward_wgmma takes a tile in halves: each step is about its own rows, and all add up") {
  const Shown s(emulated("backward_wgmma", {}));
  CHECK(s.sizes.seq == 128);
  std::vector<Span> queries, keys;
  for (const AttentionTile& tile : s.scene.tiles) {
    if (tile.mark == attention_step::gradient_k) queries.push_back(tile.q);
    if (tile.mark == attention_step::gradient_q) keys.push_back(tile.k);
  }
  CHECK(queries == std::vector<Span>{{0, 64}, {64, 64}});
  CHECK(keys == std::vector<Span>{{0, 64}, {64, 64}});
  CHECK(gradients_compared(s) == 3);
  // Two products forward, four for dV and dK, three for dQ.
  CHECK(s.scene.flop_until(s.last()) == 9.0 * 2 * 128 * 128 * 64);
  // A warp owns rows of K where dK is made, rows of Q where dQ is.
  const auto shares = [&](std::uint16_t mark) {
    return attention_picture(s.at(find_marked(s.axis, mark, 0)), 64).shares;
  };
  for (const AttentionShare& share : shares(attention_step::gradient_k)) CHECK(share.cols.count == 16);
  for (const AttentionShare& share : shares(attention_step::gradient_q)) CHECK(share.rows.count == 16);
  CHECK(shares(attention_step::gradient_k).size() == 8);
  CHECK(shares(attention_step::gradient_q).size() == 8);
}

TEST_CASE("fp8 begins with V alone, and counts what it reads: V twice, and Q and K as they come in boxes") {
  Run run = emulated("fp8", {{"seq", std::int64_t{256}}, {"head_dim", std::int64_t{128}}});
  const double read = double(loaded_bytes(run) + 32 * run.counts->box_sectors);
  CHECK(read == attention_load_bytes("fp8", {256, 128, 1, 128, 128, 1, false}));
  const Shown s(std::move(run));
  CHECK(s.scene.step_title({0}).text() == "transpose V: V tile 0");
  const AttentionPicture first = attention_picture(s.at(0), 64);
  CHECK(first.v_alone);
  CHECK(first.v_in_use);
  CHECK(first.k_tile == Span{0, 128});
  CHECK(first.q_tile.count == 0);
  CHECK(std::all_of(first.values.begin(), first.values.end(),
                    [](std::uint8_t cell) { return cell == attention_cell::ahead; }));
  const int scores = find_marked(s.axis, attention_step::scores, 0);
  REQUIRE(scores > 0);
  CHECK_FALSE(attention_picture(s.at(scores), 64).v_alone);
  CHECK(s.scene.flop_until(scores - 1) == 0);  // nothing is multiplied before
  CHECK(s.scene.flop_until(s.last()) == 2.0 * 2 * 128 * 256 * 128);
  CHECK(s.scene.transposes);
}

TEST_CASE("backward's formulas hold with the numbers that stand in them") {
  const Shown s(emulated("backward", problem(64, 32, 32)));
  const int step = find_marked(s.axis, attention_step::gradient_s, 0);
  const auto lines = row_lines(s.at(step));
  REQUIRE(lines.size() == 3);
  const auto p = s.axis.shown.at(attention_value::p, 0, step),
             ds = s.axis.shown.at(attention_value::ds, 0, step);
  CHECK(lines[0].formula.find("P[0][0] = e^(s") == 0);
  CHECK(lines[0].formula.ends_with(" = " + figure_text(*p)));
  CHECK(lines[2].formula.ends_with(" = " + figure_text(*ds)));
  for (const RowLine& line : lines) CHECK(line.formula.find("factor") == std::string::npos);
}
