// The one small language of stories, exercises and layouts: what a number in a text is, and what makes an
// answer right. C's operators with C's precedence, exact 64-bit integers where both sides are whole (but 7 /
// 2 is 3.5; in a layout's formula 3, as in C) and doubles elsewhere; numbers with units (16 KB, 2 us: in
// bytes, seconds, hertz, per second); comparisons, && || ! ?:, text in quotes; min max abs ceil floor round
// log2 and functions of the caller's; figures by path (step.sectors, run.counts.barriers, run("padded",
// n=64).time.median_ms). No loops and no assignment: the work is bounded by the length of the text.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result.hpp"
#include "value.hpp"

namespace lockstep {

// Where a text stands in its file, both from 1; columns count characters.
struct TextPlace {
  int line = 1, column = 1;
};

// `run("padded", n=64).counts.barriers` is {"run", true, "padded", {n: 64}, "counts.barriers"}; a name alone
// has no path.
struct FigurePath {
  std::string root;
  bool called = false;  // had parentheses
  std::string rung;     // "padded", or with its lab "gemm/shared"; "" where none was named
  Params settings;
  std::string path;
};
std::string to_text(const FigurePath& path);

// Where the figures of an expression come from. An Error of Exit::unavailable says why this figure cannot be
// known here; any other one that the author asked for what does not exist.
class FigureSource {
 public:
  virtual ~FigureSource() = default;
  virtual Result<Value> figure(const FigurePath& asked) = 0;
};

// A function beside the built-in ones.
struct ExpressionFunction {
  std::string_view name;
  std::string_view arguments;  // their names, as an error says them: "stride, width"
  std::size_t count = 1;
  Result<Value> (*call)(std::span<const Value>);
};

class Expression {
 public:
  static constexpr std::size_t kMaxBytes = 2000;

  // The error names line and column and what was expected there.
  static Result<Expression> parse(std::string_view text, std::span<const ExpressionFunction> functions = {},
                                  TextPlace at = {});
  // As an error of parse, where a value is of the wrong kind or a figure does not exist; as the source gave
  // it, where a figure is not to be had here.
  Result<Value> evaluate(FigureSource& figures) const;

  const std::string& text() const { return text_; }
  TextPlace place() const { return at_; }
  // Does it ask for a figure of this root, as in "step"?
  bool asks_for(std::string_view root) const;
  // The paths of its figures: "sectors" of step.sectors, "counts.global_load_sectors" of a run's.
  std::vector<std::string> figure_paths() const;

 private:
  friend class ExpressionParser;
  friend class ExpressionWork;
  friend class Formula;
  enum class Kind : std::uint8_t { constant, figure, function, builtin, unary, binary, conditional };
  struct Node {
    Kind kind = Kind::constant;
    std::uint8_t code = 0;     // of unary, binary, builtin: index into its table
    std::uint32_t offset = 0;  // in the text, for errors
    Value value{};             // constant
    FigurePath figure{};       // its settings are children
    std::vector<int> children{};
    std::vector<std::string> setting_names{};  // of a figure's children, behind the rung if there is one
    bool names_rung = false;                   // a figure's first child is its rung
    const ExpressionFunction* function = nullptr;
  };
  Error error_at(std::uint32_t offset, Message what) const;

  std::string text_;
  TextPlace at_;
  std::vector<Node> nodes_;
  int root_ = -1;
  bool wraps_ = false;  // whole numbers that do not fit 64 bits: a layout's wrap, others become doubles
};

// The value of text in quotes or a number as an expression's reader sees it: 65536, 0.436, padded.
bool is_number(const Value& value);
double number_of(const Value& value);  // NaN for text

// A unit behind a number: how many of the base unit it is.
struct UnitOfMeasure {
  std::string_view name;
  std::string_view base;  // "bytes", "s", "Hz", "bytes/s", "FLOP", "FLOP/s", "%"
  double scale = 1;
};
const UnitOfMeasure* unit_named(std::string_view name);  // nullptr for an unknown one
std::span<const UnitOfMeasure> known_units();

}  // namespace lockstep
