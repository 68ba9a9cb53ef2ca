// Why does FlashAttention move so much less?
// Step from rung to rung: standard writes all scores to HBM and reads them again; the flash rungs keep a tile
// of them on chip. Watch the running maximum and sum, and what a new maximum does to O.
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/marks.hpp"
#include "kernels/ladder.hpp"
#include "lab.hpp"

namespace lockstep {
namespace {

struct Part {
  const char *mark, *name;
  Color color;
};
// What the kernels name.
const Part kParts[] = {
    {"load_q", N_("load Q"), color::hbm},         {"load_kv", N_("load K and V"), color::hbm},
    {"scores", N_("scores"), color::registers},   {"exchange", N_("exchange between warps"), color::shared},
    {"softmax", N_("softmax"), color::registers}, {"output", N_("output"), color::registers},
    {"product", N_("product"), color::registers}, {"finish", N_("finish"), color::hbm}};

const Part* part_of(std::uint16_t mark) {
  for (const Part& part : kParts)
    if (name_id(part.mark) == mark) return &part;
  return nullptr;
}

class AttentionLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("attention")->info; }
  StepAxis steps(const Run& run) const override {
    return marked_steps(build_steps(run.launches), run.launches);
  }
  void stage(Canvas&, const StageInput&, StageEvents&) const override {}
  Message step_title(const Run&, const StepAxis& axis, int step) const override {
    if (step < 0 || step >= int(axis.groups.size())) return msg("no step");
    const StepGroup& group = axis.groups[std::size_t(step)];
    const Part* part = part_of(group.mark);
    return part ? msg("{0}, tile {1}", {part->name, std::to_string(group.mark_index)}) : msg("no step");
  }
  Message sentence(const Run& run, const StepAxis& axis, int step) const override {
    return step_title(run, axis, step);
  }
  Color phase_color(const Run&, const Phase& phase) const override {
    const Part* part = part_of(phase.mark);
    return part ? part->color : color::hbm;
  }
  Message phase_name(const Run&, const Phase& phase) const override {
    const Part* part = part_of(phase.mark);
    return part ? msg(part->name) : msg("no step");
  }
  std::vector<NumberRow> numbers(const Run& run) const override {
    std::vector<NumberRow> rows;
    if (run.counts) {
      rows.push_back(
          {msg("sectors, load"), grouped(run.counts->global_load_sectors), "counts.global_load_sectors"});
      rows.push_back(
          {msg("sectors, store"), grouped(run.counts->global_store_sectors), "counts.global_store_sectors"});
    }
    return rows;
  }
  std::vector<Message> things_to_try() const override {
    return {msg("Double seq: by how much do the sectors grow?")};
  }
};

}  // namespace

const Lab& attention_lab() {
  static const AttentionLab lab;
  return lab;
}

}  // namespace lockstep
