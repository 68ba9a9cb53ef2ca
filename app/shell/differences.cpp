#include "differences.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/measured_evidence.hpp"

namespace lockstep {
namespace {

constexpr const char* kAbsent = "–";

struct Number {
  std::string label, path, text;
  double value = 0;
};
using Numbers = std::vector<Number>;

void add_counts(const Run& run, Numbers& numbers) {
  if (!run.counts) return;
  const Counts& c = *run.counts;
  const auto add = [&](std::string label, const char* name, std::int64_t value) {
    numbers.push_back({std::move(label), std::string("counts.") + name, grouped(value), double(value)});
  };
  add(tr("requests, load"), "global_load_requests", c.global_load_requests);
  add(tr("sectors, load"), "global_load_sectors", c.global_load_sectors);
  add(tr("requests, store"), "global_store_requests", c.global_store_requests);
  add(tr("sectors, store"), "global_store_sectors", c.global_store_sectors);
  add(tr("shared wavefronts, load"), "shared_load_wavefronts", c.shared_load_wavefronts);
  add(tr("shared wavefronts, store"), "shared_store_wavefronts", c.shared_store_wavefronts);
  add(tr("shared wavefronts, async copy"), "shared_async_wavefronts", c.shared_async_wavefronts);
  add(tr("bank conflicts, load"), "shared_load_conflicts", c.shared_load_conflicts);
  add(tr("bank conflicts, store"), "shared_store_conflicts", c.shared_store_conflicts);
  add(tr("barriers"), "barriers", c.barriers);
}

void add_occupancy(const Run& run, Numbers& numbers) {
  if (!run.occupancy) return;
  const Occupancy& o = *run.occupancy;
  const auto add = [&](std::string label, const char* name, std::string text, double value) {
    numbers.push_back({std::move(label), std::string("occupancy.") + name, std::move(text), value});
  };
  add(tr("threads per block"), "threads_per_block", grouped(o.threads_per_block), o.threads_per_block);
  add(tr("registers per thread"), "registers", grouped(o.registers), o.registers);
  add(tr("shared memory per block"), "shared_bytes", grouped(o.shared_bytes) + " B", double(o.shared_bytes));
  add(tr("blocks per SM"), "blocks_per_sm", grouped(o.blocks_per_sm), o.blocks_per_sm);
  add(tr("occupancy"), "fraction", percent_text(o.fraction), o.fraction);
}

// A metric as the lab names it; those of every engine have a name here; others keep theirs, with spaces.
std::string metric_label(const std::vector<NumberRow>& rows, const std::string& name) {
  static const std::map<std::string, const char*> kNames{
      {"accesses", N_("memory accesses")},
      {"models.hbm_store_bytes", N_("bytes to HBM")},
      {"models.l2_store_bytes", N_("bytes to L2")},
      {"flop_per_byte.asked", N_("FLOP/B, L1")},
      {"flop_per_byte.models.l2", N_("FLOP/B, L2")},
      {"compiled.shared_load_wavefronts", N_("load, compiled")},
      {"compiled.shared_async_wavefronts", N_("async, profiler")}};
  if (const auto known = kNames.find(name); known != kNames.end()) return tr(known->second);
  for (const NumberRow& row : rows)
    if (row.path == "metrics." + name) return tr(row.label);
  std::string label = name;
  std::replace_if(
      label.begin(), label.end(), [](char c) { return c == '_' || c == '.'; }, ' ');
  return label;
}

// Pictures as text, and what was measured beside the figures that the lab lists itself.
bool is_detail(const std::vector<NumberRow>& rows, const std::string& name, const Value& value) {
  if (name.ends_with(".record")) return true;
  const auto* text = std::get_if<std::string>(&value);
  if (text) return text->find('\n') != text->npos;
  return MeasuredEvidence::kind.owns(name) &&
         std::none_of(rows.begin(), rows.end(),
                      [&](const NumberRow& row) { return row.path == "metrics." + name; });
}

Number metric(std::string label, const std::string& name, const Value& value) {
  Number number{std::move(label), "metrics." + name, to_string(value), 0};
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    number.value = double(*whole), number.text = grouped(*whole);
  if (const auto* real = std::get_if<double>(&value)) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", *real);
    number.value = *real, number.text = text;
  }
  if (name.ends_with("_bytes") && !std::holds_alternative<std::string>(value))
    number.text = bytes_text(number.value);
  return number;
}

void add_time(const Run& run, Numbers& numbers) {
  if (!run.time) return;
  const Timing& t = *run.time;
  const auto add = [&](std::string label, const char* name, double ms) {
    if (ms > 0) numbers.push_back({std::move(label), std::string("time.") + name, time_text(ms), ms});
  };
  add(tr("time"), "median_ms", t.median_ms);
  add(tr("time, shortest"), "min_ms", t.min_ms);
  add(tr("time, 95th percentile"), "p95_ms", t.p95_ms);
  add(tr("time while traced"), "traced_ms", t.traced_ms);
  add(tr("time of {0}", {t.reference}), "reference_ms", t.reference_ms);
}

Numbers numbers_of(const LabScene& scene) {
  const Run& run = scene.run();
  Numbers numbers{
      {tr("result"), "check", run.check.pass ? tr("right") : tr("WRONG"), run.check.pass ? 1.0 : 0.0}};
  add_counts(run, numbers);
  add_occupancy(run, numbers);
  const auto rows = scene.numbers();
  for (const auto& [name, value] : run.metrics())
    if (!is_detail(rows, name, value)) numbers.push_back(metric(metric_label(rows, name), name, value));
  add_time(run, numbers);
  return numbers;
}

const Number* find(const Numbers& numbers, const std::string& path) {
  const auto found =
      std::find_if(numbers.begin(), numbers.end(), [&](const Number& n) { return n.path == path; });
  return found == numbers.end() ? nullptr : &*found;
}

// By how much of the median the times of one run differ among themselves.
double spread_of(const Run& run) {
  return run.time && run.time->median_ms > 0 ? (run.time->p95_ms - run.time->min_ms) / run.time->median_ms
                                             : 0;
}

// By how much of its value a number may differ without saying anything.
double tolerance_of(const LabScene& scene, const std::string& path) {
  constexpr double kMeasured = 0.02;  // single figures whose spread nobody has kept
  if (path.starts_with("time.")) return spread_of(scene.run());
  const Provenance& words = provenance_of(scene.run(), path);
  if (words.is(Provenance::Kind::modelled)) return words.error_percent / 100.0;
  const bool timed = MeasuredEvidence::kind.owns(path.substr(path.find('.') + 1));
  return timed ? kMeasured : 0;
}

bool is_noise(const LabScene& left, const LabScene& right, const Number& a, const Number& b) {
  const double tolerance = std::max(tolerance_of(left, a.path), tolerance_of(right, b.path));
  const double least = std::min(std::abs(a.value), std::abs(b.value));
  return tolerance > 0 && std::abs(a.value - b.value) <= tolerance * least;
}

std::string words_of(const Run& run, const Number* number) {
  return number ? std::string(provenance_of(run, number->path)) : std::string();
}

}  // namespace

std::string ratio_text(double left, double right) {
  if (!(left > 0) || !(right > 0) || !std::isfinite(left) || !std::isfinite(right)) return "";
  const double factor = right >= left ? right / left : left / right;
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", factor);
  return (right >= left ? "× " : "÷ ") + (factor < 999.5 ? text : grouped(std::llround(factor)));
}

Differences differences_of(const LabScene& left, const LabScene& right) {
  const Numbers ours = numbers_of(left), theirs = numbers_of(right);
  Numbers all = ours;
  for (const Number& n : theirs)
    if (!find(ours, n.path)) all.push_back(n);
  Differences differences;
  for (const Number& n : all) {
    const Number *a = find(ours, n.path), *b = find(theirs, n.path);
    if (a && b && a->value == b->value && a->text == b->text) {
      ++differences.equal;
      continue;
    }
    if (a && b && is_noise(left, right, *a, *b)) {
      ++differences.noise;
      continue;
    }
    const bool count = n.path != "check" && a && b;
    differences.rows.push_back({n.label, a ? a->text : kAbsent, b ? b->text : kAbsent,
                                count ? ratio_text(a->value, b->value) : "", words_of(left.run(), a),
                                words_of(right.run(), b), n.path});
  }
  return differences;
}

}  // namespace lockstep
