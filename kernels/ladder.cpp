#include "ladder.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>

#include "app/model/embedded.hpp"
#include "app/model/source_hash.hpp"
#include "kernels/experiments.hpp"
#include "kernels/rung_code.hpp"

namespace lockstep {

extern const EmbeddedFile embedded_kernels[];
extern const int embedded_kernels_count;

// The one table, in the order of the menus: LADDER(x) is kernels/x/ladder.cpp.
#define LOCKSTEP_LADDERS(LADDER) \
  LADDER(threads)                \
  LADDER(architecture)           \
  LADDER(memory)                 \
  LADDER(coalescing)             \
  LADDER(banks)                  \
  LADDER(transpose)              \
  LADDER(reduction)              \
  LADDER(shuffle)                \
  LADDER(scatter)                \
  LADDER(transfer)               \
  LADDER(divergence)             \
  LADDER(scheduler)              \
  LADDER(occupancy)              \
  LADDER(gemm)                   \
  LADDER(softmax)                \
  LADDER(attention)              \
  LADDER(graphs)                 \
  LADDER(timing)                 \
  LADDER(micro)

#define LADDER(name) const Ladder& name##_ladder();
LOCKSTEP_LADDERS(LADDER)
#undef LADDER

std::string_view source_name(std::uint16_t id) {
  for (int i = 0; i < embedded_kernels_count; ++i)
    if (file_id(std::string(embedded_kernels[i].name).c_str()) == id) return embedded_kernels[i].name;
  return "";
}

// The ladder with the rungs of the others among what its experiments let be chosen. Microbenchmarks are no
// choice: their rungs have no idea to look at them for. Nor are blocks that wait for others: one SM is
// played.
static std::shared_ptr<const Ladder> with_rung_choices(std::shared_ptr<const Ladder> ladder,
                                                       std::span<const Ladder* const> others) {
  const auto given = ladder;  // stays while its experiments are gone through
  for (const auto& plan : given->experiments) {
    if (plan->rung_choice.empty()) continue;
    auto filled = std::make_shared<Ladder>(*ladder);
    for (Parameter& p : filled->info.parameters) {
      if (p.name != plan->rung_choice) continue;
      for (const Ladder* other : others)
        for (const RungInfo& rung : other->info.rungs)
          if (const std::string name = other->info.slug + "/" + rung.slug;
              other->info.slug != ladder->info.slug && !rung.idea.empty() && !other->together(rung.slug) &&
              std::find(p.choices.begin(), p.choices.end(), name) == p.choices.end())
            p.choices.push_back(name);
    }
    ladder = std::move(filled);
  }
  return ladder;
}

RungName yardstick() { return {"transpose", "padded"}; }

Catalogue& catalogue() {
  static Catalogue& own = *[] {
    auto* made = new Catalogue;  // found until the very end of the program
    [[maybe_unused]] bool all = true;
#define LADDER(name) &name##_ladder(),
    const Ladder* const table[] = {LOCKSTEP_LADDERS(LADDER)};
#undef LADDER
    for (const Ladder* ladder : table)
      all &= made->add(with_rung_choices({std::shared_ptr<void>(), ladder}, table)).ok();
    assert(all);
    return made;
  }();
  return own;
}

static std::string missing_in(const Ladder& ladder) {
  if (ladder.info.slug.empty()) return "slug";
  if (ladder.info.rungs.empty()) return "rungs";
  if (!ladder.buffers || !ladder.fill || !ladder.check) return "buffers, fill, check";
  return ladder.bytes && ladder.flops ? "" : "bytes, flops";
}

Status Catalogue::add(std::shared_ptr<const Ladder> ladder) {
  const std::string missing = missing_in(*ladder);
  if (!missing.empty()) return bad_input("the ladder '{0}' lacks {1}", {ladder->info.slug, missing});
  for (const RungInfo& rung : ladder->info.rungs)
    if (ladder->info.rung_index(rung.slug) != &rung - ladder->info.rungs.data())
      return bad_input("the ladder '{0}' has the rung '{1}' twice", {ladder->info.slug, rung.slug});
  ladder = with_rung_choices(std::move(ladder), ladders());
  const std::unique_lock lock(mutex_);
  for (const auto& other : ladders_)
    if (other->info.slug == ladder->info.slug)
      return bad_input("there is a ladder '{0}' already: choose another slug", {ladder->info.slug});
  ladders_.push_back(std::move(ladder));
  return Unit{};
}

bool Catalogue::remove(std::string_view slug) {
  const std::unique_lock lock(mutex_);
  return std::erase_if(ladders_, [&](const auto& ladder) { return ladder->info.slug == slug; }) > 0;
}

const Ladder* Catalogue::find(std::string_view slug) const {
  const std::shared_lock lock(mutex_);
  for (const auto& ladder : ladders_)
    if (ladder->info.slug == slug) return ladder.get();
  return nullptr;
}

std::vector<const Ladder*> Catalogue::ladders() const {
  const std::shared_lock lock(mutex_);
  std::vector<const Ladder*> all;
  for (const auto& ladder : ladders_) all.push_back(ladder.get());
  return all;
}

std::vector<const Ladder*> ladders() { return catalogue().ladders(); }
const Ladder* find_ladder(std::string_view slug) { return catalogue().find(slug); }

std::optional<RungName> ExperimentPlan::chosen_rung(const Params& params) const {
  const auto chosen = params.find(rung_choice);
  const auto* name = chosen == params.end() ? nullptr : std::get_if<std::string>(&chosen->second);
  return name ? rung_named(*name) : std::nullopt;
}

std::vector<BenchColumn> PipelinePlan::bench_columns() const {
  return {{"stream us", "stream.total_us"},
          {"plain loop us", "stream.loop_us"},
          {"graph us", "graph.total_us"},
          {"plain loop us", "graph.loop_us"},
          {"launch us", "costs.launch_us"},
          {"node gap us", "costs.node_gap_us"},
          {"instantiate us", "graph.instantiate_us"},
          {"serial model us", "models.serial_us"},
          {"asynchronous model us", "models.asynchronous_us"}};
}

namespace {

std::optional<Timing> timing_of(const Run& run, const char* middle, const char* least, double ms_per_unit) {
  const auto median = real_metric(run, middle);
  if (!median || !(*median > 0)) return {};
  Timing time;
  time.median_ms = *median * ms_per_unit;
  time.min_ms = real_metric(run, least).value_or(*median) * ms_per_unit;
  return time;
}

}  // namespace

std::optional<Timing> PipelinePlan::whole_time(const Run& run) const {
  return timing_of(run, "graph.total_us", "graph.total_min_us", 1e-3);
}

std::optional<Timing> TransferPlan::whole_time(const Run& run) const {
  return timing_of(run, "operations.plain_us", "operations.plain_min_us", 1e-3);
}

std::vector<BenchColumn> TransferPlan::bench_columns() const {
  return {{"total us", "operations.plain_us"},
          {"with events us", "operations.total_us"},
          {"model us", "models.operations.total_us"}};
}

std::optional<Timing> OccupancyPlan::whole_time(const Run& run) const {
  return timing_of(run, "measured.ms", "measured.ms_min", 1);
}

std::optional<RungName> rung_named(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return {};
  return RungName{std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

std::int64_t int_param(const Params& params, const char* name) {
  return std::get<std::int64_t>(params.at(name));
}

double larger_error(double largest, double error) {
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(largest, error);
}

std::string_view kernel_source(std::string_view file) {
  for (int i = 0; i < embedded_kernels_count; ++i)
    if (embedded_kernels[i].name == file) return embedded_kernels[i].text;
  return {};
}

std::string_view kernel_source(const RungInfo& rung) {
  return rung.code && !rung.code->source.empty() ? std::string_view(rung.code->source)
                                                 : kernel_source(rung.file);
}

std::vector<std::string> included_kernels(std::string_view file) {
  const std::string folder(file.substr(0, file.find('/') + 1));
  const std::string_view text = kernel_source(file);
  constexpr std::string_view kInclude = "\n#include \"";
  std::vector<std::string> names;
  for (std::size_t at = text.find(kInclude); at != text.npos; at = text.find(kInclude, at + 1)) {
    const std::size_t begin = at + kInclude.size(), end = text.find('"', begin);
    std::string name = folder + std::string(text.substr(begin, end - begin));
    if (!kernel_source(name).empty()) names.push_back(std::move(name));
  }
  return names;
}

std::string source_hash(std::string_view file) {
  std::string text(kernel_source(file));
  for (const std::string& name : included_kernels(file)) text += kernel_source(name);
  return source_hash_of(text);
}

std::string source_hash(const RungInfo& rung) {
  return rung.code && !rung.code->source.empty() ? source_hash_of(rung.code->source) : source_hash(rung.file);
}

}  // namespace lockstep
