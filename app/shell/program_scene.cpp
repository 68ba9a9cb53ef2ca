#include "program_scene.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "app/draw/array_map.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/access_headline.hpp"
#include "app/labs/story.hpp"

namespace lockstep {
namespace {

bool in_shared_memory(const Step& step) { return step.instruction.view >= kFirstSharedView; }

// A shared array is at least as large as what is touched of it: its text may not tell its extent.
void grow_to_accesses(ViewInfo& view, const BlockTrace& trace) {
  if (view.space != Space::shared || view.element_bytes == 0) return;
  std::uint64_t needed = 0;
  for (const Access& a : trace.events)
    if (moves_data(a.kind) && a.view == view.id)
      needed =
          std::max<std::uint64_t>(needed, (a.offset + a.width + view.element_bytes - 1) / view.element_bytes);
  if (needed > view.elements()) view.shape = {needed}, view.pitch = 0;
}

// The launch alone, in the types that a lab's run has.
std::shared_ptr<const Run> run_of_launch(const reader::ProgramRun& program, int launch) {
  auto run = std::make_shared<Run>();
  const reader::ProgramLaunch& one = program.launches[std::size_t(launch)];
  run->launches = {one.launch};
  for (ViewInfo& view : run->launches.front().views) grow_to_accesses(view, one.launch.trace);
  run->counts = one.counts;
  run->files = program.files;
  run->provenance = program.provenance;
  run->provenance.try_emplace("counts", Provenance::emulated());
  run->device = program.device;
  return run;
}

// How many lanes want the word that most of them want.
struct Crowd {
  int lanes = 0, words = 0;  // of the largest, and how many words there are
  std::uint32_t offset = 0;  // of its word
};
Crowd crowd_of(const WarpInstruction& i) {
  std::map<std::uint32_t, int> wanted;
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (i.lanes >> lane & 1) ++wanted[i.offset[std::size_t(lane)]];
  Crowd crowd{0, int(wanted.size()), 0};
  for (const auto& [offset, lanes] : wanted)
    if (lanes > crowd.lanes) crowd.lanes = lanes, crowd.offset = offset;
  return crowd;
}

}  // namespace

std::string index_text(const std::vector<std::uint64_t>& shape, std::uint64_t element) {
  if (shape.size() < 2) return "[" + std::to_string(element) + "]";
  std::string text;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const std::uint64_t extent = std::max<std::uint64_t>(1, shape[d]);
    text = "[" + std::to_string(d == 0 ? element : element % extent) + "]" + text;
    element /= extent;
  }
  return text;
}

ProgramScene::ProgramScene(std::shared_ptr<const reader::ProgramRun> program, int launch)
    : LabScene(run_of_launch(*program, launch)),
      steps(run().launches),
      progress(steps),
      compulsory(steps),
      program_(std::move(program)),
      launch_(launch) {
  for (const ViewInfo& view : run().launches.front().views) {
    StageArray array{&view, -1, false, false};
    if (view.space == Space::global) {
      for (int a = 0; a < int(program_->arrays.size()); ++a)
        if (program_->arrays[std::size_t(a)].view == view.id && array.array < 0) array.array = a;
      if (array.array < 0) continue;
      const auto any = [](const std::vector<std::uint32_t>& blocks) {
        return std::any_of(blocks.begin(), blocks.end(), [](auto block) { return block != Touch::kNobody; });
      };
      for (const Touch& t : this->launch().touches)
        if (t.view == view.id) array.read |= any(t.reader_block), array.written |= any(t.writer_block);
    }
    const Launch& launch = run().launches.front();
    if (view.space == Space::global && (launch.grid[1] > 1 || launch.block[1] > 1))
      array.columns = guess_columns(steps, view);
    if (!array.shared() && !array.read && !array.written && !was_given(array.array)) continue;
    if (view.elements() > 0 && view.element_bytes > 0) arrays_.push_back(array);
  }
  std::stable_sort(arrays_.begin(), arrays_.end(),
                   [](const StageArray& a, const StageArray& b) { return a.shared() < b.shared(); });
}

// As an argument; what it only could see is not part of the picture.
bool ProgramScene::was_given(int array) const {
  const auto& arguments = launch().arguments;
  return arguments.empty() || std::any_of(arguments.begin(), arguments.end(),
                                          [&](const reader::ProgramArgument& a) { return a.array == array; });
}

// --- steps

// The access that costs most above what it must; else the first that moves data.
int ProgramScene::opening_step(std::int64_t) const {
  int best = 0, most = 0;
  for (int s = 0; s < steps.count(); ++s) {
    const Step& step = steps.steps[std::size_t(s)];
    if (const int above = excess(step); above > most) best = s, most = above;
  }
  return best;
}

const std::string& ProgramScene::file_of(const Step& step) const {
  static const std::string none;
  for (const SourceFile& file : program_->files)
    if (file.id == step.instruction.file) return file.name;
  return none;
}

std::string ProgramScene::view_name(const Step& step) const {
  const ViewInfo* view = run().launches.front().view(step.instruction.view);
  return view && !view->name.empty() ? view->name : "?";
}

// What an access costs above what it must: of several at one line the one to look at.
int ProgramScene::excess(const Step& step) const {
  const WarpInstruction& i = step.instruction;
  if (step.barrier) return 0;
  if (is_atomic(i.kind)) return crowd_of(i).lanes - 1;
  const int fewest = in_shared_memory(step) ? fewest_wavefronts(i.lanes, i.width, !reads(i.kind))
                                            : (std::popcount(i.lanes) * i.width + 31) / 32;
  return std::max(0, (in_shared_memory(step) ? step.wavefronts : step.sectors) - fewest);
}

int ProgramScene::step_of_line(const std::string& file, int line, std::int64_t warp) const {
  int best = -1;
  std::tuple<bool, int> most;  // of this warp, excess
  for (int s = 0; s < steps.count(); ++s) {
    const Step& step = steps.steps[std::size_t(s)];
    if (int(step.instruction.line) != line || file_of(step) != file) continue;
    const std::tuple<bool, int> worth{std::int64_t(step.instruction.warp) == warp, excess(step)};
    if (best < 0 || worth > most) best = s, most = worth;
  }
  return best;
}

Color ProgramScene::phase_color(const Phase& phase) const {
  const Step& first = steps.steps[std::size_t(phase.first)];
  if (first.barrier) return color::barrier;
  if (in_shared_memory(first)) return color::shared;
  return reads(first.instruction.kind) ? color::hbm : color::l2;
}

Message ProgramScene::phase_name(const Phase& phase) const {
  const Step& first = steps.steps[std::size_t(phase.first)];
  const std::string line = number_text(first.instruction.line);
  if (first.barrier) return msg("barrier, line {0}", {line});
  const std::string name = view_name(first);
  if (is_atomic(first.instruction.kind)) return msg("atomic on {0}, line {1}", {name, line});
  return reads(first.instruction.kind) ? msg("read {0}, line {1}", {name, line})
                                       : msg("write {0}, line {1}", {name, line});
}

Message ProgramScene::step_title(const LabView& view) const {
  const Step* step = steps.at(view.step);
  if (!step) return msg("no step");
  if (step->barrier) return msg("all warps wait at the barrier");
  return msg("visit {0} of line {1}, warp {2}",
             {number_text(step->instruction.visit + 1), number_text(step->instruction.line),
              number_text(step->instruction.warp)});
}

std::vector<HeadFigure> ProgramScene::headline(const LabView& view) const {
  const Step* step = steps.at(view.step);
  return step ? access_figures(run(), *step) : std::vector<HeadFigure>{};
}

// --- what is said of a step

Message ProgramScene::access_title(const Step& step) const {
  const WarpInstruction& i = step.instruction;
  const std::vector<std::string> args{number_text(i.line), number_text(i.warp),
                                      number_text(std::popcount(i.lanes)), view_name(step)};
  if (step.barrier) return msg("Line {0}: the warps of the block wait for each other", args);
  if (is_atomic(i.kind)) return msg("Line {0}, warp {1}: {2} lanes update {3} by atomics", args);
  return reads(i.kind) ? msg("Line {0}, warp {1}: {2} lanes read {3}", args)
                       : msg("Line {0}, warp {1}: {2} lanes write {3}", args);
}

Message ProgramScene::access_remark(const Step& step) const {
  const WarpInstruction& i = step.instruction;
  if (step.barrier) return msg("no warp goes on before all have arrived");
  const ViewInfo* view = run().launches.front().view(i.view);
  const Crowd crowd = crowd_of(i);
  if (is_atomic(i.kind) && view && crowd.lanes > 1)
    return msg("{0} lanes want {1}: what they do to one word happens one after the other",
               {number_text(crowd.lanes),
                view->name + index_text(view->shape, crowd.offset / std::max(1u, view->element_bytes))});
  if (in_shared_memory(step)) {
    const int fewest = std::min(step.wavefronts, fewest_wavefronts(i.lanes, i.width, !reads(i.kind)));
    if (step.wavefronts > fewest)
      return msg("{0} wavefronts where {1} would do: lanes that want different words of a bank take turns",
                 {number_text(step.wavefronts), number_text(fewest)});
    return msg("wavefronts: {0}, no lane has to wait for another one's bank", {number_text(step.wavefronts)});
  }
  const std::int64_t bytes = std::int64_t(crowd.words) * i.width;
  const std::int64_t fewest = std::min<std::int64_t>(step.sectors, (bytes + 31) / 32);
  if (step.sectors > fewest)
    return msg("{0} sectors of 32 bytes where {1} would do: {2} bytes travel, {3} are wanted",
               {number_text(step.sectors), number_text(fewest), grouped(step.sectors * 32), grouped(bytes)});
  return msg("sectors of 32 bytes: {0}, and no fewer would do", {number_text(step.sectors)});
}

Message ProgramScene::sentence(const LabView& view) const {
  const Step* step = steps.at(view.step);
  if (!step) return msg("This launch has no steps: none of its blocks was traced.");
  return step->barrier
             ? msg("Line {0}: no warp goes on before all warps of the block have arrived; what they "
                   "wrote into shared memory can now be read.",
                   {number_text(step->instruction.line)})
             : access_remark(*step);
}

// --- elements

const Buffer* ProgramScene::buffer_of(const StageArray& array) const {
  // As this launch left it, or as an earlier one did if this one did not change it.
  for (int l = launch_; l >= 0; --l)
    for (const Buffer& buffer : program_->launches[std::size_t(l)].buffers)
      if (!array.shared() && buffer.view == array.view->id) return &buffer;
  return nullptr;
}

namespace {

template <class T>
std::optional<double> read_as(const Buffer& buffer, std::uint64_t e) {
  if ((e + 1) * sizeof(T) > buffer.bytes.size()) return {};
  T value;
  std::memcpy(&value, buffer.bytes.data() + e * sizeof(T), sizeof value);
  return double(value);
}

using ReadValue = std::optional<double> (*)(const Buffer& buffer, std::uint64_t element);

std::optional<double> read_half(const Buffer& buffer, std::uint64_t e, const char* type) {
  if ((e + 1) * 2 > buffer.bytes.size()) return {};
  ViewInfo view;
  view.type = type;
  return element(view, buffer, e);
}

// By the type's name in the reader's text; nullptr for a type that is no number.
ReadValue value_reader(const ViewInfo& view) {
  std::string type = view.type;
  for (const std::string_view word : {"const ", "volatile "})
    if (type.starts_with(word)) type.erase(0, word.size());
  const std::uint32_t bytes = view.element_bytes;
  if (type == "float" && bytes == 4) return read_as<float>;
  if (type == "double" && bytes == 8) return read_as<double>;
  if (bytes == 2 && (type == "half" || type == "__half"))
    return [](const Buffer& b, std::uint64_t e) { return read_half(b, e, "half"); };
  if (bytes == 2 && (type == "bf16" || type == "__nv_bfloat16"))
    return [](const Buffer& b, std::uint64_t e) { return read_half(b, e, "bf16"); };
  static const std::set<std::string, std::less<>> whole{"int",  "char",      "signed char", "short",
                                                        "long", "long long", "i64"};
  const bool is_unsigned =
      type.starts_with("unsigned") || type == "uchar" || type == "ushort" || type == "bool" || type == "u64";
  if (!is_unsigned && !whole.contains(type)) return nullptr;
  switch (bytes) {
    case 1:
      return is_unsigned ? ReadValue(read_as<std::uint8_t>) : read_as<std::int8_t>;
    case 2:
      return is_unsigned ? ReadValue(read_as<std::uint16_t>) : read_as<std::int16_t>;
    case 4:
      return is_unsigned ? ReadValue(read_as<std::uint32_t>) : read_as<std::int32_t>;
    case 8:
      return is_unsigned ? ReadValue(read_as<std::uint64_t>) : read_as<std::int64_t>;
    default:
      return nullptr;
  }
}

}  // namespace

std::optional<double> ProgramScene::value(const StageArray& array, std::uint64_t e) const {
  const Buffer* buffer = buffer_of(array);
  const ReadValue read = value_reader(*array.view);
  return buffer && read ? read(*buffer, e) : std::nullopt;
}

std::string ProgramScene::value_text(const StageArray& array, std::uint64_t e) const {
  const auto known = value(array, e);
  if (!known) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", *known);
  return text;
}

std::string ProgramScene::writers_and_readers(const StageArray& array, std::uint64_t e) const {
  std::string text;
  bool written = false, read = false;
  for (int l = launch_; l >= 0 && !array.shared(); --l) {
    const reader::ProgramLaunch& one = program_->launches[std::size_t(l)];
    const std::string of = l == launch_ ? "" : one.kernel + ", ";
    for (const Touch& t : one.touches) {
      if (t.view != array.view->id || e >= t.writer_block.size()) continue;
      if (!written && t.writer_block[e] != Touch::kNobody)
        written = true, text += "\n" + tr("written by {0}",
                                          {of + thread_place_text(one.launch, t.writer_block[e],
                                                                  t.writer_thread[e], t.writer_line[e], -1)});
      if (l != launch_ || read || t.reader_block[e] == Touch::kNobody) continue;
      read = true;
      text += "\n" + tr("read by {0}", {thread_place_text(one.launch, t.reader_block[e], t.reader_thread[e],
                                                          t.reader_line[e], -1)});
      if (t.reads[e] > 1) text += "\n" + tr("read {0} times by the traced blocks", {number_text(t.reads[e])});
    }
    if (written) break;
  }
  if (!array.shared()) return text;
  const Launch& here = run().launches.front();
  const auto place = [&](const Toucher& toucher) {
    const Step& step = steps.steps[std::size_t(toucher.step)];
    return thread_place_text(here, here.trace.block, toucher.thread, step.instruction.line, toucher.step);
  };
  const Toucher writer = writer_of(steps, array.view->id, array.view->element_bytes, e),
                reader = reader_of(steps, array.view->id, array.view->element_bytes, e);
  if (writer.step >= 0) text += "\n" + tr("written by {0}", {place(writer)});
  if (reader.step >= 0) text += "\n" + tr("read by {0}", {place(reader)});
  return text;
}

std::vector<std::uint8_t> ProgramScene::strength(const StageArray& array, int step) const {
  const ViewInfo& view = *array.view;
  const std::uint64_t n = std::min<std::uint64_t>(view.elements(), kMaxKeptElements);
  if (array.shared()) {
    std::vector<std::uint8_t> strength(n, 0);
    ViewInfo flat = view;  // one row, so that elements are numbered as their bytes lie
    flat.shape = {n}, flat.pitch = 0;
    const Region region = progress.region_touched(0, flat);
    const auto states = progress.elements_until(step, flat, region);
    for (std::size_t i = 0; i < states.size(); ++i)
      if (const auto e = std::size_t(region.row * std::int64_t(n) + region.col) + i; e < n)
        strength[e] = states[i].writes > 0 ? 5 : states[i].reads > 0 ? 3 : 0;
    return strength;
  }
  const auto [known, fresh] = strength_.try_emplace(view.id);
  std::vector<std::uint8_t>& all = known->second;
  if (!fresh) return all;
  all.assign(n, 0);
  std::vector<double> values(n, std::nan(""));
  double least = INFINITY, most = -INFINITY;
  const Buffer* buffer = buffer_of(array);
  const ReadValue read = buffer ? value_reader(view) : nullptr;
  for (std::uint64_t e = 0; read && e < n; ++e)
    if (const auto v = read(*buffer, e); v && std::isfinite(*v))
      values[e] = *v, least = std::min(least, *v), most = std::max(most, *v);
  for (std::uint64_t e = 0; e < n; ++e)
    if (std::isfinite(values[e]))
      all[e] = most > least
                   ? std::uint8_t(1 + std::lround((kMostStrength - 1) * (values[e] - least) / (most - least)))
                   : 4;
  if (most >= least) return all;
  for (const Touch& t : launch().touches)
    for (std::uint64_t e = 0; t.view == view.id && e < std::min<std::uint64_t>(n, t.writer_block.size()); ++e)
      all[e] = t.writer_block[e] != Touch::kNobody ? 5 : t.reader_block[e] != Touch::kNobody ? 3 : 0;
  return all;
}

std::string ProgramScene::element_text(const StageArray& array, const std::vector<std::uint64_t>& shape,
                                       std::uint64_t e) const {
  const std::string value = value_text(array, e);
  return array.view->name + index_text(shape, e) + (value.empty() ? "" : " = " + value) +
         writers_and_readers(array, e);
}

std::vector<std::uint64_t> ProgramScene::touched(const Step& step, const StageArray& array) const {
  std::set<std::uint64_t> elements;
  const WarpInstruction& i = step.instruction;
  if (step.barrier || i.view != array.view->id) return {};
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (!(i.lanes >> lane & 1)) continue;
    const std::uint64_t first = i.offset[std::size_t(lane)] / array.view->element_bytes,
                        last = (i.offset[std::size_t(lane)] + i.width - 1) / array.view->element_bytes;
    for (std::uint64_t e = first; e <= last; ++e) elements.insert(e);
  }
  return {elements.begin(), elements.end()};
}

}  // namespace lockstep
