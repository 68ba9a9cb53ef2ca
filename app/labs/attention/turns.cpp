// The notes that a block of the rung took of the SM's clock, around the tile of this step: what each
// warpgroup does, where it waits, and below it the products that the tensor cores have of it meanwhile.
#include "turns.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/step_times.hpp"

namespace lockstep {
namespace {

namespace step_of = attention_step;

constexpr float kHeading = 24, kAxis = 20, kLane = 43, kBar = 14, kLabel = 84, kTurnsGap = 6, kShared = 20;
// Shown where no step is looked at: while the first ones come, nothing has arrived yet.
constexpr std::int64_t kSteadyTile = 4;

const StepTimesEvidence* notes_of(const Run& run) { return run.evidence.find<StepTimesEvidence>(); }

// The step that is looked at: its name and its tile of K; without one, no span is outlined.
struct Looked {
  std::uint16_t mark = 0;
  std::int64_t tile = kSteadyTile;
};

struct GroupLane {
  std::vector<StepSpan> work, products;
  bool late = false;  // P V of a tile is asked for behind the scores of the next one
};

// The warpgroups that multiply. Tiles count from the block's first one.
std::vector<GroupLane> lanes_of(const StepTimesEvidence& noted) {
  std::vector<GroupLane> lanes;
  for (const WarpNotes& warp : noted.warps) {
    GroupLane lane{spans_of(warp), products_of(warp, {step_of::scores, step_of::output}), false};
    if (lane.products.size() < 3) continue;
    for (std::size_t p = 1; p < lane.products.size(); ++p)  // the tensor cores go through them in order
      lane.products[p].begin = std::max(lane.products[p].begin, lane.products[p - 1].end);
    const std::uint32_t first = lane.products[0].index;
    for (auto* spans : {&lane.work, &lane.products})
      for (StepSpan& span : *spans) span.index -= std::min(first, span.index);
    lane.late = lane.products[1].name == step_of::scores;
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

// The times that are shown: of this tile and of the one behind it.
struct Window {
  std::int64_t begin = 0, end = 1;
};
Window window_around(const std::vector<GroupLane>& lanes, std::int64_t tile) {
  Window window{INT64_MAX, 0};
  for (const GroupLane& lane : lanes) {
    const std::int64_t last = lane.work.empty() ? 0 : lane.work.back().index;
    const std::int64_t first = std::clamp<std::int64_t>(tile, 0, std::max<std::int64_t>(0, last - 1));
    for (const StepSpan& span : lane.work) {
      if (span.index < first || span.index > first + 1 || span.name == step_of::finish) continue;
      if (lane.late && span.name == step_of::output) continue;  // stands behind the next tile's scores
      window.begin = std::min(window.begin, span.begin), window.end = std::max(window.end, span.end);
    }
  }
  return window.begin < window.end ? window : Window{};
}

enum class Doing : std::uint8_t { asks, weighs, awaits_products, awaits_others };

Doing doing_of(const GroupLane& lane, const StepSpan& span) {
  if (span.waits) return *span.waits == NoteOf::products ? Doing::awaits_products : Doing::awaits_others;
  const bool asks = span.name == step_of::scores || (lane.late && span.name == step_of::output);
  return asks ? Doing::asks : Doing::weighs;
}

Color color_of(const Theme& theme, Doing doing) {
  switch (doing) {
    case Doing::asks:
      return color::shared;
    case Doing::weighs:
      return color::registers;
    case Doing::awaits_products:
      return mix(theme.panel, color::tensor, 0.22f);
    default:
      return mix(theme.panel, theme.dim, 0.35f);
  }
}

std::string words_of(const GroupLane& lane, const StepSpan& span) {
  switch (doing_of(lane, span)) {
    case Doing::asks:
      return tr("asks");
    case Doing::weighs:
      return span.name == step_of::softmax ? tr("softmax {0}", {number_text(std::int64_t(span.index))})
                                           : tr("rescales O");
    case Doing::awaits_products:
      return tr("waits for products");
    default:
      return tr("waits");
  }
}

std::vector<LegendItem> legend_of(const Theme& theme) {
  return {{tr("computes"), color_of(theme, Doing::weighs)},
          {tr("asks for products"), color_of(theme, Doing::asks)},
          {tr("waits for them"), color_of(theme, Doing::awaits_products)},
          {tr("waits for its turn or a tile"), color_of(theme, Doing::awaits_others)},
          {tr("its products on the tensor cores"), color::tensor}};
}

std::string product_words(const StepSpan& span) {
  const std::string tile = number_text(std::int64_t(span.index));
  return span.name == step_of::scores ? tr("scores {0}", {tile}) : "P·V " + tile;
}

// When products of any group are under way, in this window.
std::vector<Window> busy_times(const std::vector<GroupLane>& lanes, Window window) {
  std::vector<Window> all;
  for (const GroupLane& lane : lanes)
    for (const StepSpan& span : lane.products)
      if (span.end > window.begin && span.begin < window.end)
        all.push_back({std::max(span.begin, window.begin), std::min(span.end, window.end)});
  std::sort(all.begin(), all.end(), [](const Window& a, const Window& b) { return a.begin < b.begin; });
  std::vector<Window> joined;
  for (const Window& one : all) {
    if (joined.empty() || one.begin > joined.back().end)
      joined.push_back(one);
    else
      joined.back().end = std::max(joined.back().end, one.end);
  }
  return joined;
}

// What was run, and what the notes themselves take.
std::string about(const StepTimesEvidence& noted) {
  std::string seq = noted.setting("seq");
  std::int64_t number = 0;
  if (std::from_chars(seq.data(), seq.data() + seq.size(), number).ec == std::errc{}) seq = grouped(number);
  const std::string text = tr("one block at N = {0}, by the SM's clock", {seq});
  if (!noted.slowdown) return text;
  return tr("{0}; its notes cost {1}", {text, percent_text(std::max(0.0, *noted.slowdown - 1))});
}

class Turns {
 public:
  Turns(Canvas& canvas, const Theme& theme, Rect r, const StepTimesEvidence& noted, Looked looked)
      : canvas_(canvas),
        theme_(theme),
        type_(theme.type),
        r_(r),
        looked_(looked),
        about_(about(noted)),
        lanes_(lanes_of(noted)),
        window_(window_around(lanes_, looked.tile)) {}

  void draw(const Provenance& said) {
    canvas_.landmark("turns", r_);
    draw_heading(said);
    draw_lanes(r_.y + kHeading * type_);
  }
  // Where the heading stands elsewhere.
  void draw_panel() {
    canvas_.text_fit({r_.x, r_.y + 6 * type_}, about_, words(11.5f, theme_.dim), r_.w);
    draw_lanes(r_.y + 18 * type_);
  }

 private:
  float x_of(std::int64_t cycles) const {
    return plot_.x + plot_.w * float(double(cycles - window_.begin) / double(window_.end - window_.begin));
  }
  TextStyle words(float size, Color ink, Align align = Align::left) const {
    return {Font::words, size * type_, ink, align};
  }

  void draw_lanes(float y) {
    plot_ = {r_.x + kLabel * type_, y, r_.w - kLabel * type_,
             (kLane * float(lanes_.size()) + kShared) * type_};
    for (std::size_t g = 0; g < lanes_.size(); ++g) draw_lane(g);
    draw_tensor_cores({plot_.x, plot_.bottom() - kShared * type_, plot_.w, (kShared - 3) * type_});
    draw_axis();
    const float below = plot_.bottom() + (kAxis + kTurnsGap) * type_;
    draw_legend(canvas_, theme_, {r_.x, below, r_.w, r_.bottom() - below}, legend_of(theme_));
  }

  void draw_heading(const Provenance& said) {
    const float badge = badge_width(canvas_, theme_, said) + 10, y = r_.y + 9 * type_;
    const TextStyle head{Font::words_semibold, 13.5f * type_, theme_.ink};
    const std::string title = tr("Who does what when");
    canvas_.text_fit({r_.x, y}, title, head, r_.w - badge);
    const float behind = r_.x + canvas_.measure(title, head) + 12 * type_;
    canvas_.text_fit({behind, y}, about_, words(11.5f, theme_.dim), r_.right() - badge - behind);
    draw_badge(canvas_, theme_, {r_.right(), y}, said);
  }

  bool is_now(const StepSpan& span) const {
    return span.name == looked_.mark && std::int64_t(span.index) == looked_.tile;
  }

  // A span as a bar in these heights, with its words where they fit.
  void draw_span(const StepSpan& span, float y, float h, Color fill, const std::string& text, float size) {
    const float x = std::max(plot_.x, x_of(span.begin)), end = std::min(plot_.right(), x_of(span.end));
    if (end - x < 0.5f) return;
    const Rect bar{x, y, std::max(1.f, end - x - 1), h};
    canvas_.fill_rect(bar, fill, 2);
    const TextStyle style = words(size, Theme::on(fill), Align::center);
    if (canvas_.measure(text, style) < bar.w - 4) canvas_.text(bar.center(), text, style);
    if (is_now(span) && !span.waits) canvas_.stroke_rect(bar.inset(0.5f), theme_.ink, 1.5f, 2);
    if (const Hit hit =
            canvas_.hit("stage/turns/" + number_text(span.begin) + "/" + number_text(std::int64_t(y)), bar);
        hit.hovered)
      canvas_.tooltip(text + "\n" + tr("{0} cycles", {grouped(span.end - span.begin)}));
  }

  void draw_lane(std::size_t g) {
    const GroupLane& lane = lanes_[g];
    const float y = plot_.y + kLane * type_ * float(g), work = (kLane - kBar - kTurnsGap) * type_;
    canvas_.text_fit({r_.x, y + work / 2}, tr("group {0}", {number_text(std::int64_t(g))}),
                     {Font::words_semibold, 12 * type_, theme_.ink}, kLabel * type_ - 8);
    for (const StepSpan& span : lane.work)
      if (span.end > window_.begin && span.begin < window_.end)
        draw_span(span, y, work, color_of(theme_, doing_of(lane, span)), words_of(lane, span), 11.5f);
    for (const StepSpan& span : lane.products)
      if (span.end > window_.begin && span.begin < window_.end)
        draw_span(span, y + work + 1, kBar * type_, color::tensor, product_words(span), 10);
  }

  // Both groups' products on one line: where it is empty, nobody has any.
  void draw_tensor_cores(Rect r) {
    canvas_.text_fit({r_.x, r.center().y}, tr("tensor cores"), {Font::words_semibold, 12 * type_, theme_.ink},
                     kLabel * type_ - 8);
    canvas_.stroke_rect(r, theme_.line, 1, 2);
    std::int64_t busy = 0;
    Rect widest;
    for (const Window& one : busy_times(lanes_, window_)) {
      busy += one.end - one.begin;
      const float x = x_of(one.begin);
      const Rect bar{x, r.y, std::max(1.f, x_of(one.end) - x), r.h};
      canvas_.fill_rect(bar, color::tensor, 2);
      if (bar.w > widest.w) widest = bar;
    }
    const std::string text =
        tr("products under way at most {0} of this time",
           {number_text(std::lround(100.0 * double(busy) / double(window_.end - window_.begin))) + " %"});
    const TextStyle style = words(10.5f, Theme::on(color::tensor), Align::center);
    if (canvas_.measure(text, style) < widest.w - 6) canvas_.text(widest.center(), text, style);
  }

  void draw_axis() {
    const std::int64_t cycles = window_.end - window_.begin;
    const double rough = double(cycles) / 6,
                 decade = std::pow(10, std::floor(std::log10(std::max(1.0, rough))));
    const double step = rough / decade < 2 ? 2 * decade : rough / decade < 5 ? 5 * decade : 10 * decade;
    const float y = plot_.bottom() + 2;
    for (double at = 0; at <= double(cycles); at += step) {
      const float x = plot_.x + plot_.w * float(at / double(cycles));
      canvas_.line({x, y}, {x, y + 4}, theme_.line, 1);
      const std::string text = at == 0 ? tr("{0} cycles", {"0"}) : grouped(std::int64_t(at));
      canvas_.text({x, y + 11 * type_}, text,
                   {Font::mono, 10.5f * type_, theme_.dim, at == 0 ? Align::left : Align::center});
    }
  }

  Canvas& canvas_;
  const Theme& theme_;
  const float type_;
  const Rect r_;
  const Looked looked_;
  const std::string about_;
  const std::vector<GroupLane> lanes_;
  const Window window_;
  Rect plot_;
};

}  // namespace

float turns_height(const Canvas& canvas, const Theme& theme, float width, const Run& run) {
  const StepTimesEvidence* noted = notes_of(run);
  const std::size_t lanes = noted ? lanes_of(*noted).size() : 0;
  if (lanes == 0) return 0;
  return (kHeading + kLane * float(lanes) + kShared + kAxis + kTurnsGap) * theme.type +
         legend_height(canvas, theme, width, legend_of(theme));
}

void draw_turns(Canvas& canvas, const AttentionStep& now, Rect r) {
  const Run& run = now.scene.run();
  if (const StepTimesEvidence* noted = notes_of(run))
    Turns(canvas, now.in.theme, r, *noted, {now.mark, now.j}).draw(provenance_of(run, "metrics.steps.times"));
}

std::optional<LabPanel> turns_panel(const Run& run) {
  const StepTimesEvidence* noted = notes_of(run);
  const std::size_t lanes = noted ? lanes_of(*noted).size() : 0;
  if (lanes == 0) return {};
  constexpr float kTwoLines = 44;
  return LabPanel{msg("WHO DOES WHAT WHEN"), provenance_of(run, "metrics.steps.times").words(),
                  18 + kLane * float(lanes) + kShared + kAxis + kTurnsGap + kTwoLines,
                  [noted = *noted](Canvas& canvas, const Theme& theme, Rect r) {
                    Turns(canvas, theme, r, noted, {}).draw_panel();
                  },
                  "turns"};
}

}  // namespace lockstep
