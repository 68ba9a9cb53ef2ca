#include "provenance.hpp"

#include <charconv>

namespace lockstep {
namespace {

using Basis = Provenance::Basis;

struct KindWord {
  Provenance::Kind kind;
  std::string_view word;
};
constexpr KindWord kKinds[] = {{Provenance::Kind::measured, "measured"},
                               {Provenance::Kind::recorded, "recorded"},
                               {Provenance::Kind::emulated, "emulated"},
                               {Provenance::Kind::modelled, "modelled"},
                               {Provenance::Kind::not_measured, "not measured"}};

struct BasisWords {
  Basis basis;
  std::string_view words;  // behind "modelled, "
};
constexpr BasisWords kBases[] = {{Basis::exact, "error 0"},
                                 {Basis::at_most, "at most"},
                                 {Basis::without_code, "without the kernel's code"},
                                 {Basis::measured_costs, "from the measured costs"},
                                 {Basis::recorded_costs, "from the recorded costs"},
                                 {Basis::against_recording, "against the recording"},
                                 {Basis::against_measurement, "against the measurement"}};

constexpr std::string_view kError = "error ", kPercent = " %";
constexpr int kMostPercent = 1'000'000;

bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

// "3 %", as words() would write it.
std::optional<int> percent_of(std::string_view text) {
  int percent = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const bool whole = error == std::errc{} && percent >= 0 && percent <= kMostPercent;
  if (!whole || text != std::to_string(percent) + std::string(kPercent)) return {};
  return percent;
}

void read_basis(Provenance& p, std::string_view said) {
  for (const BasisWords& known : kBases)
    if (said == known.words) {
      p.basis = known.basis, p.rest.clear();
      return;
    }
  if (!take(said, kError)) return;
  if (const auto percent = percent_of(said))
    p.basis = Basis::error, p.error_percent = *percent, p.rest.clear();
}

// "NVIDIA H200, 2026-11-22": the date is behind the last comma, which a device's name may hold as well.
void read_recording(Provenance& p, std::string_view said) {
  const std::size_t comma = said.rfind(", ");
  if (comma == said.npos || said == ", ") return;
  p.device = said.substr(0, comma), p.date = said.substr(comma + 2), p.rest.clear();
}

}  // namespace

Provenance::Provenance(std::string_view words) {
  if (words.empty()) return;
  kind = Kind::other, rest = words;
  for (const KindWord& known : kKinds) {
    std::string_view behind = words;
    if (!take(behind, known.word)) continue;
    kind = known.kind, rest = behind;
    if (kind == Kind::modelled && take(behind, ", ")) read_basis(*this, behind);
    if (kind == Kind::recorded && take(behind, ": ")) read_recording(*this, behind);
    return;
  }
}

Provenance Provenance::measured() { return std::string_view("measured"); }
Provenance Provenance::emulated() { return std::string_view("emulated"); }
Provenance Provenance::not_measured() { return std::string_view("not measured"); }

Provenance Provenance::recorded(std::string device, std::string date) {
  Provenance p;
  p.kind = Kind::recorded, p.device = std::move(device), p.date = std::move(date);
  return p;
}

Provenance Provenance::modelled(Basis basis) {
  Provenance p;
  p.kind = Kind::modelled, p.basis = basis;
  return p;
}

Provenance Provenance::modelled_within(int percent) {
  Provenance p = modelled(Basis::error);
  p.error_percent = percent;
  return p;
}

std::optional<std::string> Provenance::error_text() const {
  if (basis == Basis::exact) return "0";
  if (basis != Basis::error) return {};
  return std::to_string(error_percent) + std::string(kPercent);
}

std::string Provenance::words() const {
  std::string text;
  for (const KindWord& known : kKinds)
    if (known.kind == kind) text = known.word;
  if (!rest.empty()) return text + rest;
  if (kind == Kind::recorded && !(device.empty() && date.empty())) text += ": " + device + ", " + date;
  if (basis == Basis::error) return text + ", " + std::string(kError) + *error_text();
  for (const BasisWords& known : kBases)
    if (known.basis == basis) text += ", " + std::string(known.words);
  return text;
}

}  // namespace lockstep
