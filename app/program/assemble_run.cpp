#include "assemble_run.hpp"

#include <algorithm>
#include <csignal>

#include "app/devices/gpus.hpp"
#include "app/platform/program_objects.hpp"
#include "array_shapes.hpp"
#include "finding_words.hpp"
#include "source/missing_definition.hpp"
#include "source_lines.hpp"

namespace lockstep::reader {
namespace {

constexpr int kFirstFile = 1;  // the ids of files in events

class Assembly {
 public:
  Assembly(ProgramRun& run, Records& records, const Compiled& compiled, const ProgramRequest& request)
      : run_(run), records_(records), request_(request) {
    for (const auto& [name, text] : run.sources) run_.files.push_back({id_of_index(run_.files.size()), name});
    find_lines(compiled);
  }
  void fill(const ProgramEnd& ended);

 private:
  static std::uint16_t id_of_index(std::size_t i) { return std::uint16_t(kFirstFile + i); }
  void find_lines(const Compiled& compiled);
  void add_launch(LaunchRecord& from);
  void add_lines(ProgramLaunch& to, const LaunchRecord& from) const;
  void add_arguments(ProgramLaunch& to, const LaunchRecord& from) const;
  void put_lines_in(Launch& launch) const;
  void put_lines_in(Touch& touch) const;
  void add_arrays();
  void add_findings();
  void add_end(const ProgramEnd& ended);
  void add_failed_load(const std::string& why);
  void add_notes();
  const SourceLine& line(std::uint32_t site) const {
    static const SourceLine none;
    return site < lines_.size() ? lines_[site] : none;
  }
  std::uint16_t file_id(const std::string& name) const {
    for (const SourceFile& file : run_.files)
      if (file.name == name) return file.id;
    return 0;
  }

  ProgramRun& run_;
  Records& records_;
  const ProgramRequest& request_;
  std::vector<SourceLine> lines_;  // by site
  SourceLine end_line_;
};

void Assembly::find_lines(const Compiled& compiled) {
  lines_.resize(records_.sites.size());
  const auto ask = [&](CodePlace::Object object, const std::filesystem::path& path) {
    std::vector<std::uint64_t> offsets;
    std::vector<std::size_t> sites;
    for (std::size_t i = 0; i < records_.sites.size(); ++i)
      if (records_.sites[i].object == std::uint32_t(object))
        offsets.push_back(records_.sites[i].offset), sites.push_back(i);
    const bool end_too = !records_.ended.empty() && records_.ended_object == std::uint32_t(object);
    if (end_too) offsets.push_back(records_.ended_offset);
    if (offsets.empty()) return;
    const auto found = lines_of(path, offsets, run_.sources, request_.trust);
    for (std::size_t i = 0; i < sites.size(); ++i) lines_[sites[i]] = found[i];
    if (end_too) end_line_ = found.back();
  };
  ask(CodePlace::Object::traced, compiled.traced);
  ask(CodePlace::Object::program, compiled.program);
  for (std::size_t i = 0; i < records_.sites.size(); ++i)
    if (records_.sites[i].line) lines_[i] = {records_.sites[i].file, records_.sites[i].line};
}

void Assembly::put_lines_in(Launch& launch) const {
  for (Access& a : launch.trace.events) {
    const SourceLine& place = line(a.line);
    a.file = file_id(place.file), a.line = std::uint16_t(std::min(place.line, 0xffff));
  }
  for (Copy& c : launch.trace.copies) {
    const SourceLine& place = line(c.line);
    c.file = file_id(place.file), c.line = std::uint16_t(std::min(place.line, 0xffff));
  }
  // They were counted instruction by instruction, and several instructions of a line are one from here on.
  launch.trace.l2_sectors.clear(), launch.trace.hbm_sectors.clear();
}

void Assembly::put_lines_in(Touch& touch) const {
  for (auto* column : {&touch.writer_line, &touch.reader_line})
    for (std::uint16_t& x : *column) x = std::uint16_t(std::min(line(x).line, 0xffff));
}

void Assembly::add_lines(ProgramLaunch& to, const LaunchRecord& from) const {
  std::map<std::pair<std::string, int>, ProgramLine> all;
  for (const auto& [site, cost] : from.costs) {
    const SourceLine& place = line(site);
    ProgramLine& row = all[{place.file, place.line}];
    row.file = place.file, row.line = place.line;
    row.cost += cost.cost;
    row.shared_width = std::max(row.shared_width, cost.shared_width);
    row.global_width = std::max(row.global_width, cost.global_width);
  }
  for (auto& [place, row] : all) to.lines.push_back(std::move(row));
}

// "d_in, f(a, b), n" as its parts.
std::vector<std::string> split(const std::string& texts) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  const auto end = [&] {
    const auto first = part.find_first_not_of(" \t\n"), last = part.find_last_not_of(" \t\n");
    parts.push_back(first == std::string::npos ? "" : part.substr(first, last - first + 1));
    part.clear();
  };
  for (const char c : texts) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0)
      end();
    else
      part += c;
  }
  end();
  return parts;
}

void Assembly::add_arguments(ProgramLaunch& to, const LaunchRecord& from) const {
  const std::vector<std::string> texts = split(from.texts);
  const std::string base = from.name.substr(0, from.name.find('<'));
  const Kernel* kernel = nullptr;
  for (const Kernel& k : run_.tables.kernels)
    if (k.name == base || base.ends_with("::" + k.name)) kernel = &k;
  for (std::size_t i = 0; i < from.arguments.size(); ++i) {
    const RawArgument& raw = from.arguments[i];
    ProgramArgument argument;
    if (i < texts.size()) argument.text = texts[i];
    if (kernel && i < kernel->parameters.size()) argument.parameter = kernel->parameters[i].name;
    argument.value = raw.value;
    argument.array = raw.array < int(records_.arrays.size()) ? raw.array : -1;
    to.arguments.push_back(std::move(argument));
  }
}

// What the worker wrote is trusted in nothing that an index hangs on.
bool sound(const LaunchRecord& r) {
  const BlockTrace& t = r.launch.trace;
  if (!t.begin.empty()) {
    if (!std::is_sorted(t.begin.begin(), t.begin.end()) || t.begin.front() != 0 ||
        t.begin.back() != t.events.size())
      return false;
    if (t.begin.size() > 1025) return false;
  } else if (!t.events.empty()) {
    return false;
  }
  for (const Access& a : t.events)
    if (a.kind > kLastKind || a.width > 16) return false;
  for (const Touch& touch : r.touches) {
    const std::size_t n = touch.writer_block.size();
    for (const std::size_t other :
         {touch.reader_block.size(), touch.writer_thread.size(), touch.writer_line.size(),
          touch.reader_thread.size(), touch.reader_line.size(), touch.reads.size()})
      if (other != n) return false;
  }
  for (const ViewInfo& v : r.launch.views)
    if (v.element_bytes == 0 || v.shape.size() > 4 || v.space > Space::shared) return false;
  return r.blocks >= 0 && r.traced_blocks >= 0;
}

void Assembly::add_launch(LaunchRecord& from) {
  if (!sound(from)) {
    ++run_.launches_dropped;
    return;
  }
  ProgramLaunch to;
  to.launch = std::move(from.launch);
  to.kernel = from.name, to.file = from.file, to.line = from.line, to.stream = from.stream;
  to.shared_bytes = from.shared_bytes, to.blocks = from.blocks, to.traced_blocks = from.traced_blocks;
  to.counts = from.counts, to.accesses = from.accesses, to.graph = from.graph;
  to.compulsory_load_sectors = from.compulsory_load_sectors;
  to.compulsory_store_sectors = from.compulsory_store_sectors;
  to.touches = std::move(from.touches), to.buffers = std::move(from.buffers);
  to.refused = words_of_refusal(from.refused);
  add_lines(to, from);
  add_arguments(to, from);
  put_lines_in(to.launch);
  for (Touch& touch : to.touches) put_lines_in(touch);
  run_.launches.push_back(std::move(to));
}

void Assembly::add_arrays() {
  for (ArrayRecord& record : records_.arrays) {
    ProgramArray array = std::move(record.array);
    const SourceLine& place = line(record.site);
    if (record.site) array.file = place.file, array.line = place.line;
    array.element_bytes = std::max(1u, array.element_bytes);
    run_.arrays.push_back(std::move(array));
  }
}

void Assembly::add_findings() {
  for (const RawFinding& raw : records_.findings) {
    ProgramFinding f;
    const SourceLine &place = line(raw.site), &other = line(raw.other_site);
    f.kind = raw.kind, f.launch = raw.launch, f.block = raw.block, f.thread = raw.thread;
    f.other_block = raw.other_block, f.other_thread = raw.other_thread;
    f.file = place.file, f.line = place.line, f.other_file = other.file, f.other_line = other.line;
    f.array = raw.array >= 0 && raw.array < int(run_.arrays.size()) ? raw.array : -1;
    f.view = f.array >= 0 ? run_.arrays[std::size_t(f.array)].name : raw.view;
    f.element = raw.element, f.times = raw.times;
    f.message = words_of(raw, {f.view, f.array < 0, f.line, f.other_line});
    // Two instructions of one line are one finding to a reader.
    const auto same =
        std::find_if(run_.findings.begin(), run_.findings.end(), [&](const ProgramFinding& known) {
          return known.kind == f.kind && known.launch == f.launch && known.line == f.line &&
                 known.file == f.file && known.other_line == f.other_line && known.view == f.view &&
                 f.line > 0;
        });
    if (same != run_.findings.end())
      same->times += f.times;
    else
      run_.findings.push_back(std::move(f));
  }
  for (const ProgramFinding& f : run_.findings)
    if (f.kind == "stack_overflow") run_.ended = f.message;
  run_.findings_dropped = records_.findings_dropped;
}

void Assembly::add_end(const ProgramEnd& ended) {
  run_.exit_code = records_.exit_code.value_or(ended.exit_code >= 0 ? ended.exit_code : 128 + ended.signal);
  if (records_.exit_code && !ended.out_of_time) return;
  std::string how = records_.ended;
  if (how.empty()) how = ended.out_of_time ? "time" : "signal";
  if (how == "signal" && run_.output.find("std::bad_alloc") != std::string::npos) how = "memory";
  const int signal = records_.signal ? records_.signal : ended.signal;
  run_.ended = words_of_end(how, signal, request_.timeout_s, request_.memory_limit_bytes, end_line_.line);
  if (how != "time" || (records_.ended_block < 0 && records_.begun.empty())) return;
  ProgramFinding f;
  f.kind = "endless", f.launch = int(records_.launches.size()), f.block = records_.ended_block;
  f.thread = records_.ended_thread, f.file = end_line_.file, f.line = end_line_.line;
  f.message = {N_("the kernel {0} did not come to its end; it was at line {1}"),
               {records_.begun, std::to_string(f.line)}};
  run_.findings.push_back(std::move(f));
}

void Assembly::add_failed_load(const std::string& why) {
  constexpr std::string_view kUndefined = "undefined symbol: ";
  const std::size_t at = why.find(kUndefined);
  if (at == why.npos) {
    run_.ended = {N_("{0}"), {why}};
    return;
  }
  std::string symbol = why.substr(at + kUndefined.size());
  symbol.resize(std::min(symbol.find_first_of(" \t\n("), symbol.size()));
  run_.diagnostics.push_back(missing_definition(symbol, run_.sources, request_.file));
  run_.compiled = false;
}

void Assembly::add_notes() {
  for (const std::string& note : records_.notes) {
    if (note == "times")
      run_.notes.push_back({N_("times are not measured here: cudaEventElapsedTime gives NaN"), {}});
    else if (note == "children")
      run_.notes.push_back({N_("launches inside kernels ran untraced and are not listed"), {}});
    else if (note.starts_with("wrote "))
      run_.notes.push_back(
          {N_("{0} was written to a scratch folder, which is gone; --trust writes it to its place"),
           {note.substr(6)}});
    else if (note.starts_with("load "))
      add_failed_load(note.substr(5));
  }
}

void Assembly::fill(const ProgramEnd& ended) {
  for (LaunchRecord& launch : records_.launches) add_launch(launch);
  add_arrays();
  find_shapes(run_);
  add_findings();
  add_end(ended);
  add_notes();
  const Gpu* gpu = gpu_by_word("H200");
  run_.device.name = gpu && !gpu->device_names.empty() ? gpu->device_names[0] : "";
  run_.device.compute_capability = gpu ? gpu->compute_capability : 0;
  run_.device.multiprocessors = gpu ? gpu->multiprocessors : 0;
  run_.provenance["launches.counts"] = Provenance("emulated, as compiled by clang");
  run_.provenance["launches.lines"] = Provenance("emulated, as compiled by clang");
}

}  // namespace

void assemble(ProgramRun& run, Records records, const ProgramEnd& ended, const Compiled& compiled,
              const ProgramRequest& request) {
  Assembly(run, records, compiled, request).fill(ended);
}

}  // namespace lockstep::reader
