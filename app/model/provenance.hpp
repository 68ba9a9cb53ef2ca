// Where a number comes from. In files and in JSON it stands as words; they are made and read here and nowhere
// else.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

struct Provenance {
  enum class Kind : std::uint8_t { none, measured, recorded, emulated, modelled, not_measured, other };
  // What is said of a model's figure beside that it is one.
  enum class Basis : std::uint8_t {
    unstated,
    error,               // at most error_percent away from what was measured
    exact,               // a rule, not an estimate
    at_most,             // an upper bound
    without_code,        // the kernel's own instructions are left out, which weigh in small problems
    measured_costs,      // from costs that this run measured
    recorded_costs,      // from costs that a recording holds
    against_recording,   // how far the model is from a recorded figure
    against_measurement  // and from one that this run measured
  };

  Kind kind = Kind::none;
  Basis basis = Basis::unstated;  // modelled
  int error_percent = 0;          // Basis::error
  std::string device, date;       // recorded: "NVIDIA H200", "2026-11-22"
  // What a file says in other words than the ones above: behind the kind's own word, or (Kind::other) all of
  // it.
  std::string rest;

  Provenance() = default;
  // Reads words; any text is one. words() gives it back unchanged.
  Provenance(std::string_view words);
  Provenance(const char* words) : Provenance(std::string_view(words)) {}
  Provenance(const std::string& words) : Provenance(std::string_view(words)) {}

  static Provenance measured();
  static Provenance emulated();
  static Provenance not_measured();
  static Provenance recorded(std::string device, std::string date);
  static Provenance modelled(Basis basis = Basis::unstated);
  static Provenance modelled_within(int percent);

  bool is(Kind other) const { return kind == other; }
  bool empty() const { return kind == Kind::none; }
  // "measured", "recorded: NVIDIA H200, 2026-11-22", "modelled, error 3 %"; "" for none.
  std::string words() const;
  operator std::string() const { return words(); }
  // "3 %" where the error is known as a number, else nothing.
  std::optional<std::string> error_text() const;
  bool operator==(const Provenance&) const = default;
};

}  // namespace lockstep
