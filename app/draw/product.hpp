// C = A B as three matrices at one scale: A to the left of C, B above it, so that a row of A, a column of B
// and the element of C that they make stand in line. Plain data in, the element under the pointer out.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/model/fold.hpp"
#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

// What a cell shows. In A and B: where its data are; in C: whose sum it is.
enum class ProductCell : std::uint8_t { idle, used, resident, in_use, loading, block, warp, thread };

struct ProductMatrix {
  std::string title, subtitle;  // "A  64 × 64", "rows 0–31"
  Span rows, cols;              // the part that is shown
  std::int64_t all_rows = 0, all_cols = 0;
  std::vector<ProductCell> cells;  // rows.count x cols.count
  // Of the block's cells, 0 .. 1: how large their sum is so far; NaN: in the colour of the cell. Empty: all.
  std::vector<float> sums;
};

struct ProductBox {
  int matrix = 0;  // 0 A, 1 B, 2 C
  Span rows, cols;
  Color color;
  float width = 2;
};

// A piece of a matrix on its way: to the block of C, or to a place outside the picture.
struct ProductPiece {
  int matrix = 0;
  Span rows, cols;
  std::optional<Rect> to;  // nothing: the block of C that it is multiplied into
  Color color;
  bool back = false;  // comes from there instead
};

// What one lane reaches while the step is taken.
struct ProductLane {
  int matrix = 0;  // 0 A, 1 B, 2 C
  Span rows, cols;
};

struct ProductPicture {
  std::string id;                       // "stage/product"
  std::array<ProductMatrix, 3> matrix;  // A, B, C: equal rows of A and C, columns of B and C, k of A and B
  std::int64_t tile_rows = 0, tile_cols = 0, tile_k = 0;  // lines at their multiples; 0 = none
  Color in_use;
  std::vector<ProductBox> boxes;
  std::optional<std::pair<std::int64_t, std::int64_t>>
      element;                  // of C: lines to its row of A and column of B
  Span block_rows, block_cols;  // of C, that the block makes
  std::vector<ProductPiece> pieces;
  std::vector<ProductLane> lanes;  // of the warp whose turn it is
  float motion = 1;                // 0 .. 1: how far the step's pieces have come
};

// The part of a product that is shown around the followed block: all of it where a cell stays large enough.
struct ProductWindow {
  Span m, n, k;
};
struct ProductSize {
  std::int64_t m = 0, n = 0, k = 0;
};
// `block`: what the followed block makes of C; `trip`: k of one trip around the loop, `now` the k that must
// be seen. `room`: pixels for the cells of C and A (w), C and B (h).
ProductWindow product_window(Vec2 room, ProductSize all, Span block_rows, Span block_cols, std::int64_t trip,
                             std::int64_t now);
Vec2 product_room(const Theme& theme, Rect r);

struct ProductHit {
  int matrix = -1;  // under the pointer; -1 = none
  std::uint64_t element = 0;
  bool clicked = false;
  Rect corner, below;  // free: left of B and above A; below the matrices
};
ProductHit draw_product(Canvas& canvas, const Theme& theme, Rect r, ProductPicture picture);

// Marks what the lanes of the warp whose turn it is reach in one matrix, whose cells stand in `area`.
void draw_product_lanes(Canvas& canvas, const Theme& theme, Rect area, const ProductPicture& picture,
                        int matrix, float cell);
// The cells of one matrix alone, without its frame.
void draw_product_cells(Canvas& canvas, const Theme& theme, const std::string& id, Rect area,
                        const ProductMatrix& matrix, Color in_use, float cell);

Color product_color(const Theme& theme, Color in_use, ProductCell cell);
// Of the block's sums: `sum` 0 .. 1.
Color product_sum_color(const Theme& theme, float sum);

}  // namespace lockstep
