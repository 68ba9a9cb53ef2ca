// One launch of a reader's own program as a scene: its followed block stepped through, as a rung's is. What
// lies around it in the program (arrays, earlier launches) is asked of the whole run.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/labs/lab.hpp"
#include "app/model/compulsory.hpp"
#include "app/model/memory_axis.hpp"
#include "app/model/progress.hpp"
#include "app/program/program_run.hpp"

namespace lockstep {

// An array as the stage shows it beside others.
struct StageArray {
  const ViewInfo* view = nullptr;      // of the launch
  int array = -1;                      // into ProgramRun::arrays; -1: shared memory
  bool read = false, written = false;  // by the traced blocks; of global ones
  std::uint64_t columns =
      0;  // of a row, guessed from how the followed block indexes it; 0: nothing speaks for one
  bool shared() const { return array < 0; }
};

class ProgramScene final : public LabScene {
 public:
  ProgramScene(std::shared_ptr<const reader::ProgramRun> program, int launch);

  const reader::ProgramRun& program() const { return *program_; }
  const reader::ProgramLaunch& launch() const { return program_->launches[std::size_t(launch_)]; }
  int launch_index() const { return launch_; }

  const MemoryAxis& axis() const override { return steps; }
  int opening_step(std::int64_t warp) const override;
  Message step_title(const LabView& view) const override;
  Message sentence(const LabView& view) const override;
  std::vector<HeadFigure> headline(const LabView& view) const override;
  Color phase_color(const Phase& phase) const override;
  Message phase_name(const Phase& phase) const override;
  void stage(Canvas&, const StageInput&, StageEvents&) const override {}  // view_program_stage.cpp
  std::vector<NumberRow> numbers() const override { return {}; }

  // Where a step's access goes: what stands above its picture, and what there is to say of it.
  Message access_title(const Step& step) const;
  Message access_remark(const Step& step) const;
  // The step of this line of this file where most is wasted, of `warp` if it has one; -1: the followed block
  // never came there.
  int step_of_line(const std::string& file, int line, std::int64_t warp) const;
  const std::string& file_of(const Step& step) const;  // "" where it is unknown
  std::string view_name(const Step& step) const;

  // Those that this launch saw, in the order of its views: what it was given, then what its blocks share.
  const std::vector<StageArray>& arrays() const { return arrays_; }
  // How strong each element's tint is: by its value between the least and the largest; of shared memory, and
  // where no value is known, by whether it was touched up to this step.
  std::vector<std::uint8_t> strength(const StageArray& array, int step) const;
  // "mine[5] = 41", and who wrote it last and who read it, by this launch or one before it.
  std::string element_text(const StageArray& array, const std::vector<std::uint64_t>& shape,
                           std::uint64_t element) const;
  // What an element holds after this launch, as C++ writes it; "" where it is not known.
  std::string value_text(const StageArray& array, std::uint64_t element) const;
  std::optional<double> value(const StageArray& array, std::uint64_t element) const;
  // The elements that a step touches, ascending.
  std::vector<std::uint64_t> touched(const Step& step, const StageArray& array) const;

  const MemoryAxis steps;
  const BlockProgress progress;
  const CompulsoryTraffic compulsory;

 private:
  int excess(const Step& step) const;
  bool was_given(int array) const;
  const Buffer* buffer_of(const StageArray& array) const;
  std::string writers_and_readers(const StageArray& array, std::uint64_t element) const;

  std::shared_ptr<const reader::ProgramRun> program_;
  int launch_;
  std::vector<StageArray> arrays_;
  mutable std::map<std::uint16_t, std::vector<std::uint8_t>> strength_;  // by view: asked for in every frame
};

// The row's length of an array whose rows a two-dimensional block walks: the distance between the runs of
// neighbours that an instruction touches in all warps of it. 0: nothing speaks for one.
std::uint64_t guess_columns(const MemoryAxis& steps, const ViewInfo& view);
// "[2][31]" of an array of this shape; "[70]" of a flat one.
std::string index_text(const std::vector<std::uint64_t>& shape, std::uint64_t element);

}  // namespace lockstep
