// What a run brings with it beyond counts, time and occupancy: typed records by kind (EvidenceKind), each
// read once, when it is put in or a file is loaded. The flat view gives every figure its name in JSON.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "value.hpp"

namespace lockstep {

// Names of figures that belong together: "stream" is all of "stream.…" and "stream" itself.
struct EvidenceGroup {
  const char* name;
  bool modelled = false;  // a model's word on what else the kind holds
  bool owns(std::string_view figure) const;
};

// What becomes of a GPU's recorded evidence where another engine answers at the same settings.
enum class Beside : std::uint8_t {
  left_out,  // each engine says its own
  taken,     // stands in the run, as recorded
  aside      // stands below "recorded", as "ranges.recorded.record": this run has its own
};

// A kind of evidence: a plain struct of app/model with `static const EvidenceKind kind`. Its reader takes
// what a stranger's file may hold: what is damaged is left out of the struct and stays in the flat view as it
// was.
struct EvidenceKind {
  const char* name;
  std::vector<EvidenceGroup> groups;
  std::shared_ptr<const void> (*read)(const Metrics& flat);
  Beside beside = Beside::left_out;
  bool of_a_gpu = false;  // only a GPU's run has it: such a recording holds a measurement
  bool owns(std::string_view figure) const;
};

// The one table of kinds.
std::span<const EvidenceKind* const> evidence_kinds();

class Evidence {
 public:
  Evidence() = default;
  explicit Evidence(Metrics flat);
  const Metrics& flat() const { return flat_; }
  // nullptr where there is none.
  template <class T>
  const T* find() const {
    return static_cast<const T*>(find(T::kind).get());
  }
  // In place of all that there was of its kind.
  template <class T>
  void put(const T& record) {
    replace(T::kind, record.flat());
  }
  template <class T>
  void drop() {
    replace(T::kind, {});
  }
  // Figures by name, to what there is; kinds that they belong to are read again.
  void merge(const Metrics& figures);
  void set(const std::string& figure, Value value) { merge({{figure, std::move(value)}}); }
  // The figures of one kind.
  Metrics of(const EvidenceKind& kind) const;
  void replace(const EvidenceKind& kind, const Metrics& figures);
  bool operator==(const Evidence& other) const { return flat_ == other.flat_; }

 private:
  std::shared_ptr<const void> find(const EvidenceKind& kind) const;
  void read(const EvidenceKind& kind);
  Metrics flat_;
  std::map<const EvidenceKind*, std::shared_ptr<const void>> records_;
};

// For the readers of kinds: a figure of this type, or nothing.
template <class T>
const T* figure(const Metrics& flat, const std::string& name) {
  const auto at = flat.find(name);
  return at == flat.end() ? nullptr : std::get_if<T>(&at->second);
}
// A number that is finite.
std::optional<double> finite_figure(const Metrics& flat, const std::string& name);
// The figures of a group, by their whole names.
Metrics figures_of(const Metrics& flat, const EvidenceGroup& group);
// The figures "group.…" by what stands behind the dot.
Metrics figures_below(const Metrics& flat, const std::string& group);

}  // namespace lockstep
