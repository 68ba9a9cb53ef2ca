// What varies from student to student: a seed, its short code, and what it draws of an exercise.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/result.hpp"
#include "exercise.hpp"

namespace lockstep {

// 40 bits; 0 is the default seed, which takes the starred values and leaves options in the file's order.
struct Seed {
  std::uint64_t bits = 0;
  bool operator==(const Seed&) const = default;
};
constexpr int kSeedBits = 40;

// "K7QM-2T9X"; "" for the default seed. Letters that read like digits (I, L, O) and U are not used, and are
// taken for the digits when typed; case, spaces and the dash do not count.
std::string seed_code(Seed seed);
std::optional<Seed> seed_from_code(std::string_view code);  // nothing: no code; "" is the default seed

// The first 40 bits of HMAC-SHA256(passphrase, name); never the default seed. The name without spaces around
// it, and one space for several.
Seed student_seed(std::string_view passphrase, std::string_view name);
std::string plain_name(std::string_view name);

// An exercise as one seed has it. It points into `exercise`, which outlives it.
struct DrawnExercise {
  const Exercise* exercise = nullptr;
  Seed seed;
  Params values;  // of `vary` and `let`, by name
  // By part: which of the file's options stands at each place. Empty for a part without options.
  std::vector<std::vector<std::size_t>> options;
};
// The error is the author's: an expression of a `let`.
Result<DrawnExercise> draw_exercise(const Exercise& exercise, Seed seed);

// Adds the values of `let` to those of `vary`.
Status work_out_lets(const Exercise& exercise, Params& values);

// The part's scene with the drawn values in place of {name}; nothing where the part leaves the lab as it is.
Result<std::optional<SceneSetup>> filled_setup(const DrawnExercise& drawn, std::size_t part);
// The same of an exercise that was read: every value that can be drawn is known to fit.
std::optional<SceneSetup> drawn_setup(const DrawnExercise& drawn, std::size_t part);
// The scene that the part stands on: its own, or that of the nearest part before; and its lab.
struct PartScene {
  std::string lab;
  std::optional<SceneSetup> setup;
};
PartScene scene_of_part(const DrawnExercise& drawn, std::size_t part);

// The figures of `inner` and, by their names, what was drawn.
class DrawnFigures final : public FigureSource {
 public:
  DrawnFigures(const Params& values, FigureSource* inner) : values_(values), inner_(inner) {}
  Result<Value> figure(const FigurePath& asked) override;

 private:
  const Params& values_;
  FigureSource* inner_;  // nullptr: there is no run
};

}  // namespace lockstep
