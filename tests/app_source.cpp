// The code pane: kernels as plain CUDA or as compiled, the same line lit in both; 80 columns unwrapped, in
// colours, with what each line cost.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/number_text.hpp"
#include "app/engine/engine.hpp"
#include "app/shell/code_colors.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"
#include "kernels/ladder.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::string drawn(App& app) {
  SvgCanvas canvas(1600, 900, app.theme().ground);
  draw_app(canvas, app, {0, 0, 1600, 900});
  std::string all;
  for (const auto& text : canvas.texts()) all += text.text + "\n";
  return all;
}

std::string line_of(std::string_view text, int line) {
  for (; line > 1; --line) text.remove_prefix(text.find('\n') + 1);
  return std::string(text.substr(0, text.find('\n')));
}

// The pane alone, as the window gives it room at 1600 x 900.
constexpr Rect kPane{900, 300, 690, 410};

SvgCanvas pane_of(App& app, Rect r = kPane, std::optional<SvgCanvas::Pointer> pointer = {}) {
  SvgCanvas areas(r.right() + 10, r.bottom() + 10, app.theme().ground);
  draw_source_panel(areas, app, r);
  SvgCanvas canvas(r.right() + 10, r.bottom() + 10, app.theme().ground);
  if (pointer) canvas.put_pointer(*pointer, areas.hits());
  draw_source_panel(canvas, app, r);
  return canvas;
}

App app_of(const LabInfo& lab, const std::string& rung) {
  AppState state;
  state.lab = lab.slug, state.rung = rung, state.params = *complete_params(lab, rung, {});
  return App(state, nullptr);
}

// What is drawn from `left` on, row by row: pieces stand at the columns at which they were drawn.
std::vector<std::string> rows_of(const SvgCanvas& canvas, float left, float advance) {
  std::map<int, std::string> rows;  // by the middle
  for (const auto& t : canvas.texts()) {
    if (t.rect.x < left - 1 || std::abs(t.rect.h - 11.4f) > 0.01f) continue;
    const auto column = std::size_t(std::lround((t.rect.x - left) / advance));
    std::string& row = rows[int(t.rect.center().y)];
    row.resize(std::max(row.size(), column), ' ');
    row += t.text;
  }
  std::vector<std::string> texts;
  for (const auto& [y, text] : rows) texts.push_back(text);
  return texts;
}

// The colour in which a text was drawn first; white where it was not drawn.
std::string color_of(const std::string& svg, const std::string& text) {
  const std::size_t end = svg.find(">" + text + "</text>");
  if (end == svg.npos) return "";
  const std::size_t begin = svg.rfind("<text", end), fill = svg.find("fill=\"", begin);
  return svg.substr(fill + 6, 7);
}

std::string hex(Color c) {
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", c.r, c.g, c.b);
  return text;
}

bool draws(const SvgCanvas& canvas, const std::string& text) {
  return std::any_of(canvas.texts().begin(), canvas.texts().end(),
                     [&](const auto& t) { return t.text == text; });
}

LineCost sum(const std::vector<LineCost>& costs) {
  LineCost all;
  for (const LineCost& cost : costs) all += cost;
  return all;
}

}  // namespace

TEST_CASE("the code pane shows plain CUDA, and with P the very text that is compiled") {
  App app(state_of("padded"), nullptr);
  app.show(emulated("padded"));
  const std::string file = app.info().rungs[std::size_t(app.rung_index())].file;
  const auto shows = [&](const char* text) { return app.source(file).text.find(text) != std::string::npos; };
  CHECK(shows("__shared__ float tile[32][33];"));
  CHECK_FALSE(shows("SHARED(float"));
  app.on_key({Key::character, 'P'});
  CHECK(shows("SHARED(float, tile, 32, 33);"));
  app.on_key({Key::character, 'P'});
  CHECK_FALSE(shows("SHARED(float"));
  CHECK(drawn(app).find("SHARED(float") == std::string::npos);
}

TEST_CASE("a step's line is the same statement in both texts") {
  App app(state_of("padded"), nullptr);
  app.show(emulated("padded"));
  const std::string file = app.info().rungs[std::size_t(app.rung_index())].file;
  for (int step = 0; step <= app.last_step(); ++step) {
    app.go_to(step);
    const SourceLines lines = app.scene()->axis().lines(step);
    if (lines.lines.empty()) continue;
    const int line = lines.lines.front();
    app.plain_source = false;
    const std::string compiled = line_of(app.source(file).text, app.source(file).plain_line(line));
    CHECK(compiled == line_of(kernel_source(file), line));
    app.plain_source = true;
    CHECK(line_of(app.source(file).text, app.source(file).plain_line(line)) == compiled);
  }
}

TEST_CASE("a line of 80 columns stands in one row where the pane is 690 px wide, and in its place") {
  for (const Lab* lab : labs())
    for (const RungInfo& rung : lab->info().rungs)
      for (const bool plain : {true, false}) {
        App app = app_of(lab->info(), rung.slug);
        app.plain_source = plain;
        const SvgCanvas canvas = pane_of(app, {0, 0, 690, 8000});
        const float advance = canvas.measure("0", {Font::mono, 11.4f});
        const auto rows = rows_of(canvas, 32, advance);
        CAPTURE(rung.file);
        for (const std::string_view line : app.code_text().lines) {
          if (line.size() > 80 || line.find_first_not_of(' ') == line.npos) continue;
          CAPTURE(line);
          CHECK(std::find(rows.begin(), rows.end(), line) != rows.end());
        }
      }
}

TEST_CASE("in a window of 1600 x 900 the kernel of every rung has its 80 columns, in both languages") {
  for (const Language language : {Language::english, Language::chinese})
    for (const Lab* lab : labs())
      for (const RungInfo& rung : lab->info().rungs) {
        App app = app_of(lab->info(), rung.slug);
        app.set_language(language);
        CAPTURE(rung.file);
        CHECK(lay_out(app, {0, 0, 1600, 900}).right.w >= 690);
      }
  REQUIRE(use_language(Language::english, {}).ok());
}

TEST_CASE("a line that moves data keeps its 80 columns beside its numbers") {
  App app(state_of("tiled", 128), nullptr);
  app.show(emulated("tiled", 128));
  const SvgCanvas canvas = pane_of(app, {0, 0, 690, 4000});
  const float text_end = 32 + 80 * canvas.measure("0", {Font::mono, 11.4f});
  float numbers = 690;
  for (const LineCost& cost : app.code_text().costs)
    for (const std::int64_t value : {cost.sectors, cost.wavefronts})
      for (const auto& t : canvas.texts())
        if (value > 0 && t.text == grouped(value) && t.rect.x > 400) numbers = std::min(numbers, t.rect.x);
  CHECK(numbers < 690);
  CHECK(text_end < numbers);
}

TEST_CASE("where the pane is narrow lines are wrapped, and nothing is lost or leaves it") {
  App app(state_of("tiled"), nullptr);
  const SvgCanvas canvas = pane_of(app, {0, 0, 300, 4000});
  std::string all, wanted;
  for (const std::string& row : rows_of(canvas, 32, canvas.measure("0", {Font::mono, 11.4f}))) all += row;
  for (const std::string_view line : app.code_text().lines) wanted += line;
  std::erase(all, ' '), std::erase(wanted, ' ');
  CHECK(all == wanted);
  for (const auto& t : canvas.texts()) CHECK(t.rect.right() <= 300);
}

TEST_CASE("what does not fit beside its numbers, or at all, ends in an ellipsis and is told on hover") {
  App app(state_of("tiled"), nullptr);
  const SvgCanvas canvas = pane_of(app, {0, 0, 130, 4000});
  const auto is_cut = [](const auto& t) { return t.text.ends_with("…"); };
  CHECK(std::any_of(canvas.texts().begin(), canvas.texts().end(), is_cut));
  for (const auto& t : canvas.texts()) CHECK(t.rect.right() <= 130);
  const std::string line(app.code_text().lines[0]);
  CHECK(std::find(canvas.hints().begin(), canvas.hints().end(), line) != canvas.hints().end());
}

TEST_CASE("nothing in the pane lies on anything else, at any width, in every lab and language" *
          doctest::test_suite("slow")) {
  for (const Lab* lab : labs())
    for (const RungInfo& rung : lab->info().rungs)
      for (const Language language : {Language::english, Language::chinese}) {
        App app = app_of(lab->info(), rung.slug);
        app.set_language(language);
        app.show(emulated_run(lab->info().slug, rung.slug, app.state().params));
        for (const float width : {1000.f, 760.f, 690.f, 600.f, 500.f, 340.f, 240.f}) {
          const SvgCanvas canvas = pane_of(app, {0, 0, width, 410});
          CAPTURE(rung.file);
          CAPTURE(width);
          const auto& texts = canvas.texts();
          for (std::size_t i = 0; i < texts.size(); ++i) {
            CAPTURE(texts[i].text);
            CHECK(texts[i].rect.right() <= width - 4);
            for (std::size_t j = 0; j < i; ++j) {
              const Rect a = texts[i].rect, b = texts[j].rect;
              const bool apart =
                  a.right() < b.x + 1 || b.right() < a.x + 1 || a.bottom() < b.y + 1 || b.bottom() < a.y + 1;
              CAPTURE(texts[j].text);
              CHECK(apart);
            }
          }
        }
      }
  (void)use_language(Language::english, "").ok();
}

TEST_CASE("keywords, built-in variables, numbers and comments have colours of their own in the pane") {
  for (const bool dark : {false, true}) {
    App app(state_of("tiled"), nullptr);
    app.set_dark(dark);
    SvgCanvas canvas = pane_of(app, {0, 0, 690, 4000});
    const std::string svg = canvas.finish();
    const CodeColors colors = code_colors(app.theme(), app.theme().panel);
    CHECK(color_of(svg, "__global__") == hex(colors.keyword));
    CHECK(color_of(svg, "float") == hex(colors.keyword));
    CHECK(color_of(svg, "threadIdx") == hex(colors.builtin));
    CHECK(color_of(svg, "__syncthreads") == hex(colors.builtin));
    CHECK(color_of(svg, "32") == hex(colors.literal));
    CHECK(color_of(svg, std::string(app.code_text().lines[0])) == hex(colors.comment));
    CHECK(color_of(svg, " col = ") == hex(colors.ink));
  }
}

TEST_CASE("every ink of code has a contrast of at least 4.5 on the panel and on the executing line") {
  for (const bool dark : {false, true})
    for (const bool projector : {false, true}) {
      App app(state_of("tiled"), nullptr);
      app.set_dark(dark), app.set_projector(projector);
      const Theme theme = app.theme();
      CAPTURE(dark);
      for (const Color ground : {theme.panel, theme.highlight}) {
        const CodeColors c = code_colors(theme, ground);
        for (const Color ink : {c.ink, c.dim, c.trouble, c.keyword, c.builtin, c.literal, c.comment})
          CHECK(contrast(ink, ground) >= 4.5);
        const Color different[] = {c.ink, c.comment, c.keyword, c.builtin, c.literal};
        for (const Color& a : different)
          for (const Color& b : different) CHECK((&a == &b || a != b));
      }
    }
}

TEST_CASE("what the lines of a one-block transpose cost adds up to the run's counts, in either text") {
  for (const RungInfo& rung : find_lab("transpose")->info().rungs) {
    App app(state_of(rung.slug, 32), nullptr);
    app.show(emulated(rung.slug, 32));
    REQUIRE(app.run()->launches[0].blocks() == 1);
    const Counts& counts = *app.run()->counts;
    for (const bool plain : {true, false}) {
      app.plain_source = plain;
      CAPTURE(rung.slug);
      const LineCost all = sum(app.code_text().costs);
      CHECK(all.sectors == counts.global_load_sectors + counts.global_store_sectors);
      CHECK(all.wavefronts ==
            counts.shared_load_wavefronts + counts.shared_store_wavefronts + counts.shared_async_wavefronts);
      CHECK(all.wavefronts_above == counts.shared_load_conflicts + counts.shared_store_conflicts);
      CHECK(all.times > 0);
    }
  }
}

TEST_CASE("every cost of a file's lines stands beside a line of it, in either text, in every lab") {
  for (const Lab* lab : labs())
    for (const RungInfo& rung : lab->info().rungs) {
      App app = app_of(lab->info(), rung.slug);
      app.show(emulated_run(lab->info().slug, rung.slug, app.state().params));
      for (const bool plain : {true, false}) {
        app.plain_source = plain;
        const CodeText& code = app.code_text();
        LineCost wanted;
        for (const auto& [line, cost] : app.line_costs().of(source_id(*app.run(), code.file))) wanted += cost;
        CAPTURE(rung.file);
        CHECK(sum(code.costs) == wanted);
      }
    }
}

TEST_CASE("the most that could be less stands out: the naive stores, the tiled reads, nothing once padded") {
  const auto svg_of = [](const std::string& rung) {
    App app(state_of(rung, 128), nullptr);
    app.show(emulated(rung, 128));
    app.go_to(0);
    return pane_of(app).finish();
  };
  const CodeColors plain = code_colors(light_theme(), light_theme().panel),
                   lit = code_colors(light_theme(), light_theme().highlight);
  const std::string naive = svg_of("naive"), tiled = svg_of("tiled"), padded = svg_of("padded");
  CHECK(color_of(naive, "1,152") == hex(lit.trouble));  // 128 read and 1,024 written, by one line
  CHECK(color_of(tiled, "1,024") == hex(plain.trouble));
  CHECK(tiled.find(">32</text>") != tiled.npos);
  CHECK(padded.find("font-weight=\"600\" text-anchor") == padded.npos);
  CHECK(tiled.find("font-weight=\"600\" text-anchor") != tiled.npos);
}

TEST_CASE("a cost stands beside its own statement, in either text") {
  App app(state_of("tiled", 128), nullptr);
  app.show(emulated("tiled", 128));
  for (const bool plain : {true, false}) {
    app.plain_source = plain;
    const CodeText& code = app.code_text();
    REQUIRE(code.most_wavefronts >= 0);
    CHECK(code.lines[std::size_t(code.most_wavefronts)] ==
          "      out[(row + j) * n + col] = tile[threadIdx.x][threadIdx.y + j];");
    CHECK(code.costs[std::size_t(code.most_wavefronts)] == LineCost{64, 128, 1024, 0, 992});
    CHECK(code.most_sectors == -1);
  }
}

TEST_CASE("the columns say whose costs they are and where the counts come from") {
  App app(state_of("tiled", 128), nullptr);
  CHECK_FALSE(draws(pane_of(app), "wavefronts"));  // nothing has run
  app.show(emulated("tiled", 128));
  const SvgCanvas canvas = pane_of(app);
  for (const char* head : {"sectors", "wavefronts", "block (0, 0)", "emulated"}) CHECK(draws(canvas, head));
  CHECK_FALSE(draws(canvas, "times"));  // no room beside 80 columns
  CHECK(draws(pane_of(app, {0, 0, 800, 410}), "times"));
  CHECK(std::any_of(canvas.hints().begin(), canvas.hints().end(), [](const std::string& hint) {
    return hint.find("Counted over all of block (0, 0)") != hint.npos && hint.find("emulated") != hint.npos;
  }));
}

TEST_CASE("a run without events has no columns") {
  App app(state_of("tiled", 128), nullptr);
  Run run = emulated("tiled", 128);
  for (Launch& launch : run.launches) launch.trace = {};
  app.show(std::move(run));
  CHECK_FALSE(draws(pane_of(app), "sectors"));
}

TEST_CASE("over a line the pane says what it cost and what would do") {
  App app(state_of("tiled", 128), nullptr);
  app.show(emulated("tiled", 128));
  const SvgCanvas canvas = pane_of(app);
  const auto number = std::find_if(canvas.texts().begin(), canvas.texts().end(),
                                   [](const auto& t) { return t.text == "1,024"; });
  REQUIRE(number != canvas.texts().end());
  const SvgCanvas hovered = pane_of(app, kPane, SvgCanvas::Pointer{number->rect.center()});
  REQUIRE(hovered.tooltips().size() == 1);
  CHECK(hovered.tooltips()[0].find("1,024; the fewest for these lanes: 32") != std::string::npos);
}

TEST_CASE("the header counts the lines that the bars mark, and names the rung before") {
  App app(state_of("tiled"), nullptr);
  SvgCanvas canvas = pane_of(app, {0, 0, 690, 4000});
  const std::string svg = canvas.finish(), bar = "width=\"3\" height=\"18\"";
  int bars = 0;
  for (std::size_t at = svg.find(bar); at != svg.npos; at = svg.find(bar, at + 1)) ++bars;
  CHECK(bars > 5);
  CHECK(bars == app.code_text().differing);
  CHECK(draws(canvas, std::to_string(bars) + " lines differ from 02_naive"));
  App first(state_of("copy"), nullptr);
  CHECK(first.code_text().differing == 0);
  CHECK(pane_of(first).finish().find("differ") == std::string::npos);
}

TEST_CASE("a click on the switch shows the text that is compiled, and back") {
  App app(state_of("padded"), nullptr);
  const SvgCanvas canvas = pane_of(app);
  const auto area = std::find_if(canvas.hits().begin(), canvas.hits().end(),
                                 [](const auto& hit) { return hit.id == "code/as"; });
  REQUIRE(area != canvas.hits().end());
  CHECK(area->focusable);
  CHECK(draws(canvas, "as CUDA (P)"));
  pane_of(app, kPane, SvgCanvas::Pointer{area->rect.center(), true});
  CHECK_FALSE(app.plain_source);
  CHECK(draws(pane_of(app), "as compiled here (P)"));
  pane_of(app, kPane, SvgCanvas::Pointer{area->rect.center(), true});
  CHECK(app.plain_source);
}

TEST_CASE(
    "the wheel scrolls the code; another step brings the executing line back, a visible one stays put") {
  App app(state_of("tiled", 128), nullptr);
  app.show(emulated("tiled", 128));
  app.go_to(app.last_step());
  const auto top = [&] { return app.code_scroll.top; };
  const Rect low{900, 300, 690, 160};
  pane_of(app, low);
  const float opened = top();
  CHECK(opened > 0);
  SvgCanvas::Pointer wheel{low.center(), false, 2};
  pane_of(app, low, wheel);
  CHECK(top() < opened);
  const float scrolled = top();
  pane_of(app, low);
  CHECK(top() == scrolled);  // stays where the reader put it
  wheel.wheel = 100;
  pane_of(app, low, wheel);
  CHECK(top() == 0);
  app.go_to(app.last_step() - 1);
  pane_of(app, low);
  CHECK(top() == opened);  // the same line: it is back
  pane_of(app, low, SvgCanvas::Pointer{low.center(), false, -1});
  const float moved = top();
  app.go_to(app.last_step());
  pane_of(app, low);
  CHECK(top() == moved);  // the line is in view: nothing jumps
}

TEST_CASE("the executing line is in view at every step of every rung, in either text") {
  for (const Lab* lab : labs())
    for (const RungInfo& rung : lab->info().rungs) {
      App app = app_of(lab->info(), rung.slug);
      app.show(emulated_run(lab->info().slug, rung.slug, app.state().params));
      CAPTURE(rung.file);
      for (int step = 0; step <= app.last_step(); step += 1 + app.last_step() / 12) {
        app.go_to(step);
        const SourceLines lit = app.scene()->axis().lines(step);
        if (lit.lines.empty() || lit.file != source_id(*app.run(), app.code_text().file)) continue;
        const SvgCanvas canvas = pane_of(app);
        CHECK(draws(canvas,
                    std::to_string(
                        app.source(app.code_text().file)
                            .kernel_line(app.source(app.code_text().file).plain_line(lit.lines.front())))));
      }
    }
}

TEST_CASE("a step that runs in another rung's file shows that file") {
  const LabInfo& lab = find_lab("attention")->info();
  App app = app_of(lab, "backward");
  app.show(emulated_run("attention", "backward", app.state().params));
  app.go_to(0);
  CHECK(app.code_text().file == "attention/03_flash2.cuh");
  CHECK(app.code_text().differing == 0);
  app.go_to(app.last_step());
  CHECK(app.code_text().file == "attention/05_backward.cuh");
}

TEST_CASE("a step that runs in a file which rungs share shows that file, with its line lit") {
  App app = app_of(find_lab("gemm")->info(), "box_stores");
  app.show(emulated_run("gemm", "box_stores", app.state().params));
  app.go_to(0);
  CHECK(app.code_text().file == "gemm/19_box_stores.cuh");
  app.go_to(app.last_step());
  CHECK(app.code_text().file == "gemm/sums.cuh");
  CHECK(!executing_lines(app, app.code_text()).empty());
}
