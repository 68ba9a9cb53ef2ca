// Where the copy engine brings the tiles: who is at which tile of the loop over k, what the barriers in
// shared memory say of each buffer, and where a row's units of 16 bytes stand.
#include "pipeline.hpp"

#include <algorithm>
#include <set>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/units.hpp"

namespace lockstep {
namespace {

constexpr float kHeading = 24, kRow = 25, kLabel = 84, kBuffer = 60, kGap = 4;
constexpr int kMostTiles = 8;

TextStyle words(const Theme& theme, float size, Color color, Align align = Align::left) {
  return {Font::words, size * theme.type, color, align};
}

// The tiles that are shown: those around the one at hand.
Span shown_tiles(const GemmPicture& shown) {
  const auto& trips = shown.scene.steps.trips;
  int now = 0;
  for (int t = 0; t < int(trips.size()); ++t)
    if (trips[std::size_t(t)].multiply_step >= 0 && trips[std::size_t(t)].multiply_step <= shown.step())
      now = t;
  const int count = std::min(kMostTiles, int(trips.size()));
  return {std::clamp(now - count / 2 + 1, 0, int(trips.size()) - count), count};
}

enum class AtTile : std::uint8_t { ahead, waits, now, done };

struct Lane {
  std::string name;
  Color color;
  std::vector<AtTile> tiles;
};

AtTile fetching(const LoopAxis& axis, const Trip& trip, int step) {
  const TripState state = state_of(axis, trip, step);
  if (state == TripState::ahead) return AtTile::ahead;
  return state == TripState::loading ? AtTile::now : AtTile::done;
}

AtTile multiplying(const Trip& trip, int step) {
  if (trip.multiply_step < 0 || step < trip.arrival_step) return AtTile::ahead;
  if (step < trip.multiply_step) return AtTile::waits;
  return step == trip.multiply_step ? AtTile::now : AtTile::done;
}

// The warpgroups that multiply; none where single warps do.
int groups_of(const GemmScene& scene) {
  std::set<std::uint32_t> groups;
  for (const Trip& trip : scene.steps.trips) {
    if (trip.multiply_step < 0) continue;
    for (const Step& part : scene.steps.parts_of(trip.multiply_step))
      if (is_product(part.instruction.kind)) groups.insert(part.instruction.warp / 4);
    break;
  }
  return int(groups.size());
}

std::vector<Lane> lanes(const GemmPicture& shown, Span tiles) {
  const LoopAxis& axis = shown.scene.steps;
  std::vector<Lane> all{{tr("TMA unit"), color::hbm, {}}};
  const int groups = groups_of(shown.scene);
  for (int g = 0; g < groups; ++g) all.push_back({tr("group {0}", {number_text(g)}), color::shared, {}});
  if (groups == 0) all.push_back({tr("warps"), color::shared, {}});
  for (std::int64_t t = tiles.first; t <= tiles.last(); ++t) {
    const Trip& trip = axis.trips[std::size_t(t)];
    all.front().tiles.push_back(fetching(axis, trip, shown.step()));
    for (std::size_t g = 1; g < all.size(); ++g) all[g].tiles.push_back(multiplying(trip, shown.step()));
  }
  return all;
}

void draw_cell(Canvas& canvas, const Theme& theme, Rect r, AtTile work, Color color) {
  const Rect cell = r.inset(1.5f);
  if (work == AtTile::done) canvas.fill_rect(cell, mix(theme.panel, color, 0.28f), 3);
  if (work == AtTile::now) canvas.fill_rect(cell, color, 3);
  if (work == AtTile::waits) canvas.stroke_rect(cell, color, 2, 3);
  if (work == AtTile::ahead) canvas.stroke_rect(cell, theme.line, 1, 3);
}

constexpr float kHeadingSize = 13.5f;

// Where the next tile of C begins among the trips: a line, and its name beside the heading.
void draw_next_tile_of_c(Canvas& canvas, const GemmPicture& shown, const Trip& trip, Rect rest, float left) {
  const Theme& theme = shown.in.theme;
  const float heading = kHeading * theme.type, middle = rest.y - heading + 8 * theme.type;
  canvas.line({rest.x, rest.y}, {rest.x, rest.bottom()}, theme.dim, 1.5f);
  const float title = canvas.measure(tr("Who is at which tile"),
                                     {Font::words_semibold, kHeadingSize * theme.type, theme.ink});
  if (left + title > rest.x) return;
  canvas.text_fit({rest.x, middle}, tr("C tile {0}", {number_text(std::int64_t(trip.tile_of_c) + 1)}),
                  words(theme, 11.5f, theme.ink), rest.w);
}

// Lanes over tiles; returns the height.
float draw_lanes(Canvas& canvas, const GemmPicture& shown, Rect r) {
  const Theme& theme = shown.in.theme;
  const Span tiles = shown_tiles(shown);
  if (tiles.count == 0) return 0;
  const auto& trips = shown.scene.steps.trips;
  const std::vector<Lane> all = lanes(shown, tiles);
  const float row = kRow * theme.type, label = kLabel * theme.type, w = (r.w - label) / float(tiles.count),
              height = row * (0.8f + float(all.size()));
  float y = r.y;
  for (std::int64_t t = 0; t < tiles.count; ++t) {
    const Trip& trip = trips[std::size_t(tiles.first + t)];
    const float x = r.x + label + w * float(t);
    canvas.text_fit({x + w / 2, y + row * 0.4f}, number_text(trip.k.first),
                    words(theme, 11, theme.dim, Align::center), w - 4);
    if (t > 0 && trips[std::size_t(tiles.first + t - 1)].tile_of_c != trip.tile_of_c)
      draw_next_tile_of_c(canvas, shown, trip, {x, y, r.right() - x, height}, r.x);
  }
  canvas.text({r.x, y + row * 0.4f}, tr("from k ="), words(theme, 11, theme.dim));
  y += row * 0.8f;
  for (const Lane& lane : all) {
    canvas.text_fit({r.x, y + row / 2}, lane.name, words(theme, 12, theme.ink), label - 8);
    for (std::size_t t = 0; t < lane.tiles.size(); ++t)
      draw_cell(canvas, theme, {r.x + label + w * float(t), y, w, row}, lane.tiles[t], lane.color);
    y += row;
  }
  return y - r.y;
}

// Whether somebody has seen by this step that the buffer of a trip is free.
bool is_free(const LoopAxis& axis, int trip, int step) {
  const auto end = axis.groups.begin() + std::min(step + 1, int(axis.groups.size()));
  return std::any_of(axis.groups.begin(), end, [&](const StepGroup& group) { return group.freed == trip; });
}

// What the barriers say of a buffer: how its tile stands, whether it is full, whether it may be filled.
struct BufferState {
  std::string words;
  bool full = false, empty = false;
};
BufferState state_of_buffer(const GemmPicture& shown, const TileBuffer& buffer) {
  const LoopAxis& axis = shown.scene.steps;
  if (buffer.trip < 0) return {tr("never filled"), false, true};
  const Trip& trip = axis.trips[std::size_t(buffer.trip)];
  const std::string k = shown.scene.trip_text(trip, shown.step());
  switch (state_of(axis, trip, shown.step())) {
    case TripState::loading:
      return {tr("{0} on its way", {k}), false, false};
    case TripState::resident:
      return {tr("{0} is there", {k}), true, false};
    case TripState::in_use:
      return {tr("{0} in use", {k}), true, false};
    default:
      break;
  }
  const bool returned = trip.return_step >= 0 && trip.return_step <= shown.step();
  // In a cluster the groups of the other block have to do so, too: the producer's wait says when.
  if (returned && shown.scene.multicast && !is_free(axis, buffer.trip, shown.step()))
    return {tr("{0} given back here", {k}), false, false};
  return returned ? BufferState{tr("{0} given back", {k}), false, true}
                  : BufferState{tr("{0} was used", {k}), true, false};
}

void draw_token(Canvas& canvas, const Theme& theme, Vec2 at, bool set, Color color, const std::string& name) {
  const float radius = 5 * theme.type;
  set ? canvas.fill_circle(at, radius, color) : canvas.stroke_circle(at, radius, theme.dim, 1);
  canvas.text({at.x + radius + 5, at.y}, name, words(theme, 11.5f, set ? theme.ink : theme.dim));
}

float draw_buffers(Canvas& canvas, const GemmPicture& shown, Rect r) {
  const Theme& theme = shown.in.theme;
  const auto buffers = buffers_at(shown.scene.steps, shown.step());
  const auto& trips = shown.scene.steps.trips;
  const bool returns =
      std::any_of(trips.begin(), trips.end(), [](const Trip& trip) { return trip.return_step >= 0; });
  const float row = kRow * theme.type, label = kBuffer * theme.type, token = 50 * theme.type;
  const float words_at = r.x + label + token * (returns ? 2.2f : 1.1f), room = r.right() - words_at;
  std::vector<BufferState> states;
  for (const TileBuffer& buffer : buffers) states.push_back(state_of_buffer(shown, buffer));
  const TextStyle usual = words(theme, 11.5f, theme.dim);
  const bool fits = std::all_of(states.begin(), states.end(), [&](const BufferState& state) {
    return canvas.measure(state.words, usual) <= room;
  });
  const TextStyle style = fits ? usual : words(theme, 10, theme.dim);  // in all rows the same
  float y = r.y;
  for (std::size_t b = 0; b < buffers.size(); ++b, y += row) {
    const float middle = y + row / 2;
    canvas.text_fit({r.x, middle}, tr("buffer {0}", {number_text(std::int64_t(b))}),
                    words(theme, 12, theme.ink), label - 8);
    draw_token(canvas, theme, {r.x + label + 6, middle}, states[b].full, color::shared, "full");
    if (returns)
      draw_token(canvas, theme, {r.x + label + token, middle}, states[b].empty, color::registers, "empty");
    canvas.text_fit({words_at, middle}, states[b].words, style, room);
  }
  return y - r.y;
}

}  // namespace

float pipeline_height(const GemmPicture& shown, const Theme& theme) {
  const int lanes = 1 + std::max(1, groups_of(shown.scene));
  const auto buffers = buffers_at(shown.scene.steps, shown.scene.steps.count());
  return (kHeading + kRow * (0.8f + float(lanes) + float(buffers.size())) + kGap * 3) * theme.type;
}

void draw_pipeline(Canvas& canvas, const GemmPicture& shown, Rect r) {
  const Theme& theme = shown.in.theme;
  canvas.landmark("pipeline", r);
  canvas.text_fit({r.x, r.y + 8 * theme.type}, tr("Who is at which tile"),
                  {Font::words_semibold, kHeadingSize * theme.type, theme.ink}, r.w);
  float y = r.y + kHeading * theme.type;
  y += draw_lanes(canvas, shown, {r.x, y, r.w, r.bottom() - y}) + 2 * kGap * theme.type;
  draw_buffers(canvas, shown, {r.x, y, r.w, r.bottom() - y});
}

// Eight rows of 128 bytes as they stand in shared memory; a unit of 16 bytes has the number that it has in
// the matrix.
void draw_swizzle(Canvas& canvas, const GemmPicture& shown, Rect r) {
  constexpr int kRows = 8, kUnits = 8;
  const Theme& theme = shown.in.theme;
  const std::string why =
      tr("A product reads units 0 and 1 of every row (k = 0..{0}): the eight rows have them in eight "
         "different groups of banks.",
         {number_text(32 / std::int64_t(shown.scene.a->element_bytes) - 1)});
  const TextStyle why_style = words(theme, 11.5f, theme.dim);
  const float line = 15 * theme.type,
              note = line * float(canvas.count_lines(why, why_style, r.w)) + 6 * theme.type,
              top = r.y + kHeading * theme.type, label = 44 * theme.type, least = 12 * theme.type;
  const auto height = [&](float below) { return (r.bottom() - top - below) / float(kRows); };
  const bool noted = height(note) >= least;
  const float h = std::min(22 * theme.type, height(noted ? note : 0)),
              w = std::min(46 * theme.type, (r.w - label) / float(kUnits));
  if (h < least) return;
  const bool multiplies = shown.scene.group(shown.step())->role == Role::multiply;
  canvas.landmark("swizzle", r);
  canvas.text_fit({r.x, r.y + 8 * theme.type}, tr("Where the 16-byte units of eight rows stand"),
                  {Font::words_semibold, kHeadingSize * theme.type, theme.ink}, r.w);
  constexpr float size = 11;
  for (int row = 0; row < kRows; ++row) {
    const float y = top + h * float(row);
    canvas.text({r.x, y + h / 2}, tr("row {0}", {number_text(row)}), words(theme, size, theme.dim));
    for (int place = 0; place < kUnits; ++place) {
      const auto byte = std::uint32_t(row * int(kBoxRowBytes) + place * 16);
      const int unit = int(swizzled_128(byte) % kBoxRowBytes / 16);
      const Rect cell = Rect{r.x + label + w * float(place), y, w, h}.inset(1);
      const bool read = multiplies && unit < 2;
      const Color fill = read ? color::shared : mix(theme.panel, color::shared, 0.16f);
      canvas.fill_rect(cell, fill, 2);
      canvas.text(cell.center(), number_text(unit),
                  words(theme, size, read ? Theme::on(fill) : theme.dim, Align::center));
    }
  }
  if (noted) canvas.text_wrap({r.x, top + h * kRows + 4 * theme.type}, why, why_style, r.w, line);
}

}  // namespace lockstep
