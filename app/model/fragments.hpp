// Which lane holds which element of a warp's matrix product: the register layouts that the PTX ISA documents
// for mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 ("Matrix Fragments for mma.m16n8k16 with floating
// point type") and for ldmatrix ("Warp-level matrix load instruction: ldmatrix").
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace lockstep {

// A 16 x 16 and B 16 x 8 of 16-bit elements, two to a register; C and D 16 x 8 of floats.
enum class Fragment : std::uint8_t { a, b, c };
struct FragmentShape {
  int rows, cols, registers;
};
constexpr FragmentShape shape_of(Fragment f) {
  return f == Fragment::a ? FragmentShape{16, 16, 4} : FragmentShape{16, 8, f == Fragment::b ? 2 : 4};
}

// A lane's 32-bit register of a fragment; half 0 is its low 16 bits, 1 its high ones (0 for floats).
struct FragmentSlot {
  int lane = 0, reg = 0, half = 0;
  bool operator==(const FragmentSlot&) const = default;
};
struct MatrixIndex {
  int row = 0, col = 0;
  bool operator==(const MatrixIndex&) const = default;
};
FragmentSlot slot_of(Fragment f, MatrixIndex element);
MatrixIndex element_in(Fragment f, FragmentSlot slot);
std::string register_name(Fragment f, int reg);  // "a0"

// --- ldmatrix: .x1, .x2 or .x4 matrices of 8 x 8 elements of 16 bits
// -----------------------------------------

constexpr int kLdmatrixRows = 8;
// The lane that supplies the address of a row, and the row whose address a lane supplies (none where .x1 or
// .x2 do not use its address).
constexpr int address_lane(int matrix, int row) { return matrix * kLdmatrixRows + row; }
struct LdmatrixRow {
  int matrix = 0, row = 0;
  bool operator==(const LdmatrixRow&) const = default;
};
std::optional<LdmatrixRow> row_of_address_lane(int lane, int matrices);
// Matrix m arrives in register m of every lane. `transposed` is .trans.
FragmentSlot loaded_slot(int matrix, MatrixIndex element, bool transposed);
MatrixIndex loaded_element(FragmentSlot slot, bool transposed);

// The 16-byte unit of the 128-byte line of banks in which a row of a matrix lies: 0 .. 7.
constexpr int bank_unit(std::uint32_t byte) { return int(byte / 16 % 8); }
// Wavefronts that one matrix takes: rows in the same unit at different addresses wait for each other.
int ldmatrix_wavefronts(std::span<const std::uint32_t, kLdmatrixRows> row_bytes);

}  // namespace lockstep
