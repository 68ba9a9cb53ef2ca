// Answers with runs that were recorded earlier: DIR/<device>/*.npz.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "app/model/recorded_beside.hpp"
#include "app/platform/ranges.hpp"
#include "engine.hpp"
#include "kernels/experiments.hpp"
#include "kernels/ladder.hpp"
#include "run_file.hpp"
#include "run_index.hpp"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

struct Recorded {
  fs::path path;
  Run manifest;  // without columns
};

// A file that nobody has asked for yet, and what it says of itself once somebody has looked.
struct Unread {
  fs::path path;
  std::optional<std::string> text;
};

// The lab that a file's name begins with, as `lockstep record` names it: "gemm_tma_k1024.npz"; "" of other
// names.
std::string_view lab_named(const std::string& stem) {
  for (const Ladder* ladder : ladders()) {
    const std::string& lab = ladder->info.slug;
    if (stem.starts_with(lab) && (stem.size() == lab.size() || stem[lab.size()] == '_')) return lab;
  }
  return "";
}

// The hash of a rung's source as it is in this program; "" for a rung that it does not have.
std::string current_hash(std::string_view lab, std::string_view rung) {
  const Ladder* ladder = find_ladder(lab);
  const int index = ladder ? ladder->info.rung_index(rung) : -1;
  return index < 0 ? "" : source_hash(ladder->info.rungs[std::size_t(index)]);
}

const Parameter* find_parameter(std::string_view lab, const std::string& name) {
  const Ladder* ladder = find_ladder(lab);
  if (!ladder) return nullptr;
  for (const Parameter& parameter : ladder->info.parameters)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

// What decides which recording fits: all parameters but those a recording cannot hold.
Params recorded_part(std::string_view lab, const Params& params) {
  Params part;
  for (const auto& [name, value] : params) {
    const Parameter* parameter = find_parameter(lab, name);
    if (!parameter || !parameter->model_only) part[name] = value;
  }
  return part;
}

// What a stranger's file says must be a run of its lab: a rung that there is, buffers of the ladder's
// dimensions, and legal settings; those that it leaves out are filled in.
Status check_fits(Run& run, const std::string& name) {
  const Ladder* ladder = find_ladder(run.request.lab);
  if (!ladder) return Unit{};
  const std::string rung = run.request.lab + "/" + run.request.rung;
  if (ladder->info.rung_index(run.request.rung) < 0)
    return bad_input("{0} holds a run of {1}, which this program does not have; a newer one may",
                     {name, rung});
  const auto params = complete_params(ladder->info, run.request.rung, run.request.params);
  if (!params) return bad_input("{0} is not a run of {1}: {2}", {name, rung, params.error().text()});
  run.request.params = *params;
  const auto specs = ladder->buffers(*params, run.request.rung);
  for (const Launch& launch : run.launches)
    for (const ViewInfo& view : launch.views) {
      if (view.space == Space::shared) continue;
      if (view.id >= specs.size() || view.shape != specs[view.id].shape)
        return bad_input(
            "{0} is not a run of {1}: its buffer {2} has another form; save or record the run again",
            {name, rung, view.name});
    }
  return Unit{};
}

double number_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return double(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::numeric_limits<double>::quiet_NaN();
}

// 0 for equal values, up to 1 for the ends of the parameter's range; on a logarithmic scale, as sizes are
// chosen.
double distance(const Parameter* parameter, const Value& a, const Value& b) {
  if (a == b) return 0;
  const double x = number_of(a), y = number_of(b);
  if (!parameter || std::isnan(x) || std::isnan(y) || parameter->max <= parameter->min) return 1;
  const auto scaled = [&](double value) { return std::log1p(std::max(0.0, value - parameter->min)); };
  return std::min(1.0, std::abs(scaled(x) - scaled(y)) / scaled(parameter->max));
}

double distance(std::string_view lab, const Params& a, const Params& b) {
  double sum = 0;
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    sum += other == b.end() ? 1 : distance(find_parameter(lab, name), value, other->second);
  }
  return sum;
}

bool is_of_device(const Run& recorded, const std::string& device) {
  return device.empty() || recorded.device.name == device;
}

std::string settings_text(const Request& request, const Params& params) {
  std::string text;
  for (const auto& [name, value] : params) text += name + "=" + to_string(value) + " ";
  return text + "block " + std::to_string(request.block);
}

class RecordingEngine : public Engine {
 public:
  explicit RecordingEngine(std::vector<fs::path> folders) : folders_(std::move(folders)) {}

  EngineKind kind() const override { return EngineKind::recording; }

  Status can_run(const Request& request) override {
    if (find(request)) return Unit{};
    return not_recorded(request);
  }

  Result<Run> run(const Request& request, const Report&) override {
    std::optional<Error> fault;
    while (const Recorded* found = find(request)) {
      const Range range("load the recording");
      auto run = load_recording(found->path);
      if (run) return presented(std::move(*run), request);
      fault = run.error();
      leave_out(*found, *fault);
    }
    return fault ? *fault : not_recorded(request);
  }

  // Of the first device, by the order of the folders, that has recordings of this lab.
  std::vector<Run> recorded(std::string_view lab, std::string_view rung) override {
    scan(lab);
    const auto first = std::find_if(recorded_.begin(), recorded_.end(),
                                    [&](const Recorded& one) { return one.manifest.request.lab == lab; });
    return first == recorded_.end() ? std::vector<Run>{} : of_rung(lab, rung, first->manifest.device.name);
  }

  std::vector<Run> recorded_everywhere(std::string_view lab, std::string_view rung) override {
    scan(lab);
    return of_rung(lab, rung, "");
  }

  Health health() override {
    gather();
    if (!health_) health_ = count_all();
    return *health_;
  }

 private:
  // Of those that nobody asked for yet whose they are is enough.
  Health count_all() {
    std::map<std::string, int> devices;
    std::optional<Device> first;
    const auto count = [&](const Device& device) {
      ++devices[device.name];
      if (!first) first = device;
    };
    for (const Recorded& one : recorded_) count(one.manifest.device);
    look_into([](const Unread&) { return true; });
    for (const Unread& one : unread_)
      if (const auto device = device_of_manifest(*one.text, one.path.string())) count(*device);
    if (!first)
      return {false,
              {N_("no recordings were found; make some with `lockstep record` or name a folder with "
                  "--recordings"),
               {}},
              {}};
    int recordings = 0;
    std::string names;
    for (const auto& [name, of_it] : devices) {
      recordings += of_it;
      names += (names.empty() ? "" : ", ") + name;
    }
    return {true, {N_("{0} recordings from {1}"), {std::to_string(recordings), names}}, *first};
  }

  std::vector<Run> of_rung(std::string_view lab, std::string_view rung, const std::string& device) const {
    std::vector<Run> runs;
    for (const Recorded& one : recorded_) {
      const Run& run = one.manifest;
      if (run.request.lab == lab && run.request.rung == rung && is_of_device(run, device))
        runs.push_back(run);
    }
    return runs;
  }

  // The files, once.
  void gather() {
    if (!std::exchange(gathered_, true))
      for (const fs::path& folder : folders_) add_folder(folder);
  }

  // Fetches what the chosen files say of themselves; those that cannot are left out.
  template <class F>
  void look_into(F chosen) {
    std::erase_if(unread_, [&](Unread& one) {
      if (one.text || !chosen(one)) return false;
      auto text = load_manifest_text(one.path);
      if (text)
        one.text = std::move(*text);
      else
        warn(text.error());
      return !one.text;
    });
  }

  // Reads the manifests that may be of this lab. A damaged one is left out; its fault becomes a warning of
  // later answers.
  void scan(std::string_view lab) {
    gather();
    // Every answer comes by here, and the manifests are megabytes of text: once is enough.
    if (!searched_.emplace(lab).second) return;
    // A file that has another lab's name is of that one, and no time goes into opening it.
    look_into([&](const Unread& one) {
      const std::string_view named = lab_named(one.path.stem().string());
      return named.empty() || named == lab;
    });
    // A manifest that does not hold the lab's name as a word of its own cannot be of this lab.
    const std::string word = '"' + std::string(lab) + '"';
    const auto others = std::stable_partition(unread_.begin(), unread_.end(), [&](const Unread& one) {
      return !one.text || one.text->find(word) == std::string::npos;
    });
    for (auto one = others; one != unread_.end(); ++one) read(*one);
    unread_.erase(others, unread_.end());
  }

  // By device and name; the device that the folder's file `first_device` names comes before the others.
  void add_folder(const fs::path& folder) {
    const std::size_t before = unread_.size();
    std::error_code error;
    if (fs::exists(folder / kManifestsFile, error)) {
      auto packed = load_manifest_texts(folder);
      if (!packed) return warn(packed.error());
      for (ManifestText& one : *packed) unread_.push_back({std::move(one.path), std::move(one.text)});
    } else {
      for (const fs::path& device : sorted_entries(folder))
        for (const fs::path& file : sorted_entries(device))
          if (file.extension() == ".npz") unread_.push_back({file, {}});
    }
    std::string first;
    std::getline(std::ifstream(folder / "first_device"), first);
    std::stable_partition(unread_.begin() + std::ptrdiff_t(before), unread_.end(),
                          [&](const Unread& one) { return one.path.parent_path().filename() == first; });
  }

  static std::vector<fs::path> sorted_entries(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error))
      entries.push_back(entry->path());
    std::sort(entries.begin(), entries.end());
    return entries;
  }

  void read(const Unread& file) {
    auto manifest = run_of_manifest(*file.text, file.path.string());
    if (!manifest) return warn(manifest.error());
    if (Status fits = check_fits(*manifest, file.path.string()); !fits) return warn(fits.error());
    manifest->stale = is_stale(*manifest);
    recorded_.push_back({file.path, std::move(*manifest)});
  }

  bool is_stale(const Run& run) {
    const auto [hash, is_new] = hashes_.try_emplace({run.request.lab, run.request.rung});
    if (is_new) hash->second = current_hash(run.request.lab, run.request.rung);
    return run.source_hash != hash->second;
  }

  void warn(const Error& fault) {
    health_.reset();  // one fewer
    warnings_.push_back({N_("a recording was left out: {0}"), {fault.text()}});
  }

  void leave_out(const Recorded& damaged, const Error& fault) {
    warn(fault);
    recorded_.erase(recorded_.begin() + (&damaged - recorded_.data()));
  }

  // With events, a recording answers for its followed block only. One without (times, counts) comes second.
  const Recorded* find(const Request& request) {
    scan(request.lab);
    const Recorded* without_events = nullptr;
    const Params wanted = recorded_part(request.lab, request.params);
    for (const Recorded& one : recorded_) {
      const Request& made = one.manifest.request;
      if (made.lab != request.lab || made.rung != request.rung) continue;
      if (recorded_part(made.lab, made.params) != wanted) continue;
      if (!is_of_device(one.manifest, request.device)) continue;
      if (one.manifest.launches.empty())
        without_events = without_events ? without_events : &one;
      else if (made.block == request.block)
        return &one;
    }
    return without_events;
  }

  Error not_recorded(const Request& request) {
    scan(request.lab);
    const Params wanted = recorded_part(request.lab, request.params);
    const Recorded* nearest = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const Recorded& one : recorded_) {
      const Request& made = one.manifest.request;
      if (made.lab != request.lab || made.rung != request.rung) continue;
      if (!is_of_device(one.manifest, request.device)) continue;
      // A wrong block weighs less than any wrong parameter can tell: it is a click away.
      const double far = distance(made.lab, wanted, recorded_part(made.lab, made.params)) +
                         (made.block == request.block ? 0 : 1e-6);
      if (far < least) least = far, nearest = &one;
    }
    const std::string name = request.lab + "/" + request.rung;
    if (!nearest && !request.device.empty())
      return unavailable(
          "there is no recording of {0} on {1} here; leave the device open, or name a folder with "
          "--recordings",
          {name, request.device});
    if (!nearest)
      return unavailable(
          "there is no recording of {0} here; make one with `lockstep record` on a machine with a GPU, or "
          "name a folder with --recordings",
          {name});
    const Request& made = nearest->manifest.request;
    return bad_input(
        "{0} with {1} was not recorded; the nearest recorded settings are {2}",
        {name, settings_text(request, wanted), settings_text(made, recorded_part(made.lab, made.params))});
  }

  Run presented(Run run, const Request& request) {
    run.engine = EngineKind::recording;
    run.request = request;
    run.warnings.insert(run.warnings.end(), warnings_.begin(), warnings_.end());
    return run;
  }

  std::vector<fs::path> folders_;
  std::map<std::pair<std::string, std::string>, std::string> hashes_;  // current ones, by lab and rung
  bool gathered_ = false;
  std::optional<Health> health_;
  std::set<std::string, std::less<>> searched_;  // labs whose manifests are read
  std::vector<Unread> unread_;                   // of labs that nobody asked for
  std::vector<Recorded> recorded_;
  std::vector<Message> warnings_;
};

}  // namespace

Result<Run> load_recording(const fs::path& path) {
  auto run = load_run(path);
  if (!run) return run;
  return as_recording(std::move(*run), path.string());
}

Result<Run> as_recording(Run run, const std::string& name) {
  if (Status fits = check_fits(run, name); !fits) return fits.error();
  const Provenance recorded = recorded_as(run);
  for (auto& [json_path, said] : run.provenance)
    if (said == Provenance::measured()) said = recorded;
  for (const char* json_path : {"check", "counts", "time", "metrics"})
    run.provenance.try_emplace(json_path, recorded);
  if (run.engine == EngineKind::cuda) run.engine = EngineKind::recording;
  run.stale = run.source_hash != current_hash(run.request.lab, run.request.rung);
  if (run.stale)
    run.warnings.push_back({N_("the source of {0} has changed since it was recorded on {1}"),
                            {run.request.lab + "/" + run.request.rung, run.date}});
  return run;
}

std::vector<Params> recorded_positions(Engine& recording, std::string_view lab, std::string_view rung) {
  std::vector<Params> positions;
  for (const Run& run : recording.recorded(lab, rung))
    if (!run.launches.empty()) positions.push_back(recorded_part(lab, run.request.params));
  return positions;
}

std::optional<Run> recorded_time(Engine& recording, const Request& request) {
  const Params wanted = recorded_part(request.lab, request.params);
  for (Run& run : request.device.empty() ? recording.recorded(request.lab, request.rung)
                                         : recording.recorded_everywhere(request.lab, request.rung))
    if (holds_measurement(run) && is_of_device(run, request.device) &&
        recorded_part(request.lab, run.request.params) == wanted)
      return std::move(run);
  return {};
}

std::vector<Run> timed_recordings(Engine& recording, const std::string& lab) {
  std::vector<Run> timed;
  const Ladder* ladder = find_ladder(lab);
  if (!ladder) return timed;
  for (const RungInfo& rung : ladder->info.rungs)
    for (Run& run : recording.recorded(lab, rung.slug)) {
      for (const auto& plan : ladder->experiments)
        if (!run.time) run.time = plan->whole_time(run);
      if (!run.time) continue;
      run.provenance["time"] = recorded_as(run);
      timed.push_back(std::move(run));
    }
  return timed;
}

std::unique_ptr<Engine> make_recording_engine(std::vector<fs::path> folders) {
  return std::make_unique<RecordingEngine>(std::move(folders));
}

}  // namespace lockstep
