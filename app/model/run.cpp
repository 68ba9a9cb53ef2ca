#include "run.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "e4m3.hpp"
#include "portable.hpp"

namespace lockstep {

const std::array<CountField, 17> kCountFields{{
    {"shared_load_wavefronts", &Counts::shared_load_wavefronts},
    {"shared_store_wavefronts", &Counts::shared_store_wavefronts},
    {"shared_async_wavefronts", &Counts::shared_async_wavefronts},
    {"shared_load_conflicts", &Counts::shared_load_conflicts},
    {"shared_store_conflicts", &Counts::shared_store_conflicts},
    {"global_load_requests", &Counts::global_load_requests},
    {"global_load_sectors", &Counts::global_load_sectors},
    {"global_store_requests", &Counts::global_store_requests},
    {"global_store_sectors", &Counts::global_store_sectors},
    {"global_reduction_sectors", &Counts::global_reduction_sectors},
    {"global_atomic_sectors", &Counts::global_atomic_sectors},
    {"shared_atomic_instructions", &Counts::shared_atomic_instructions},
    {"barriers", &Counts::barriers},
    {"cluster_load_sectors", &Counts::cluster_load_sectors},
    {"box_sectors", &Counts::box_sectors},
    {"box_store_sectors", &Counts::box_store_sectors},
    {"products", &Counts::products},
}};

std::string to_string(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  return shortest_text(std::get<double>(value));
}

int LabInfo::rung_index(std::string_view slug_) const {
  for (std::size_t i = 0; i < rungs.size(); ++i)
    if (rungs[i].slug == slug_) return int(i);
  return -1;
}

void LabInfo::set_titles(Words of_parameters) {
  for (const auto& [name, title] : of_parameters) {
    const auto p = std::find_if(parameters.begin(), parameters.end(),
                                [name = name](const Parameter& each) { return each.name == name; });
    assert(p != parameters.end());
    p->title = title;
  }
}

void LabInfo::set_choice_titles(std::string_view parameter, Words of_choices) {
  const auto p = std::find_if(parameters.begin(), parameters.end(),
                              [&](const Parameter& each) { return each.name == parameter; });
  assert(p != parameters.end());
  for (const auto& [choice, title] : of_choices) {
    assert(std::find(p->choices.begin(), p->choices.end(), choice) != p->choices.end());
    p->choice_titles[choice] = title;
  }
}

void LabInfo::set_adds(Words of_rungs) {
  for (const auto& [rung, words] : of_rungs) {
    assert(rung_index(rung) >= 0);
    rungs[std::size_t(rung_index(rung))].adds = words;
  }
}

const Params::value_type* without_effect(const Parameter& parameter, const Params& params) {
  for (const auto& [name, value] : parameter.only_with)
    if (const auto at = params.find(name); at != params.end() && to_string(at->second) != value) return &*at;
  return nullptr;
}

const std::string& title_of(const Parameter& parameter) {
  return parameter.title.empty() ? parameter.name : parameter.title;
}

const std::string& title_of(const Parameter& parameter, const std::string& choice) {
  const auto known = parameter.choice_titles.find(choice);
  return known == parameter.choice_titles.end() ? choice : known->second;
}

const ViewInfo* Launch::view(std::uint16_t id) const {
  for (const ViewInfo& v : views)
    if (v.id == id) return &v;
  return nullptr;
}

// IEEE 754 binary16: 5 bits of exponent, 10 of fraction.
static double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 31  ? (fraction ? std::numeric_limits<double>::quiet_NaN()
                                                  : std::numeric_limits<double>::infinity())
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -size : size;
}

double element(const ViewInfo& view, const Buffer& buffer, std::uint64_t index) {
  const auto read = [&]<class T>(T) -> double {
    if ((index + 1) * sizeof(T) > buffer.bytes.size()) return std::numeric_limits<double>::quiet_NaN();
    T value;
    std::memcpy(&value, buffer.bytes.data() + index * sizeof(T), sizeof value);
    return double(value);
  };
  if (view.type == "int") return read(std::int32_t{});
  if (view.type == "unsigned") return read(std::uint32_t{});
  if (view.type == "u64") return read(std::uint64_t{});
  if (view.type == "half") {
    std::uint16_t bits;
    if ((index + 1) * sizeof bits > buffer.bytes.size()) return std::numeric_limits<double>::quiet_NaN();
    std::memcpy(&bits, buffer.bytes.data() + index * sizeof bits, sizeof bits);
    return from_half(bits);
  }
  if (view.type == "e4m3")
    return index < buffer.bytes.size() ? value_of_e4m3(buffer.bytes[index])
                                       : std::numeric_limits<double>::quiet_NaN();
  if (view.type == "bf16") {  // the upper half of a float
    std::uint16_t bits;
    if ((index + 1) * sizeof bits > buffer.bytes.size()) return std::numeric_limits<double>::quiet_NaN();
    std::memcpy(&bits, buffer.bytes.data() + index * sizeof bits, sizeof bits);
    return bit_cast<float>(std::uint32_t{bits} << 16);
  }
  return read(float{});
}

std::string_view name_of(EngineKind kind) {
  switch (kind) {
    case EngineKind::automatic:
      return "auto";
    case EngineKind::cuda:
      return "cuda";
    case EngineKind::emulator:
      return "emulator";
    case EngineKind::recording:
      return "recording";
  }
  return "";
}

std::optional<EngineKind> engine_named(std::string_view name) {
  for (auto kind : {EngineKind::automatic, EngineKind::cuda, EngineKind::emulator, EngineKind::recording})
    if (name == name_of(kind)) return kind;
  return {};
}

template <class T>
static std::optional<T> metric_of(const Run& run, const std::string& name) {
  const T* value = figure<T>(run.metrics(), name);
  return value ? std::optional(*value) : std::nullopt;
}
std::optional<std::int64_t> whole_metric(const Run& run, const std::string& name) {
  return metric_of<std::int64_t>(run, name);
}
std::optional<double> real_metric(const Run& run, const std::string& name) {
  return metric_of<double>(run, name);
}

namespace {

void merge_touch(Touch& t, const Touch& later, std::uint8_t launch) {
  const std::size_t n = std::min(t.writer_block.size(), later.writer_block.size());
  t.writer_launch.resize(n), t.reader_launch.resize(n);
  for (std::size_t e = 0; e < n; ++e) {
    if (later.writer_block[e] != Touch::kNobody) {
      t.writer_block[e] = later.writer_block[e], t.writer_thread[e] = later.writer_thread[e];
      t.writer_line[e] = later.writer_line[e], t.writer_launch[e] = launch;
    }
    if (t.reader_block[e] == Touch::kNobody && later.reader_block[e] != Touch::kNobody) {
      t.reader_block[e] = later.reader_block[e], t.reader_thread[e] = later.reader_thread[e];
      t.reader_line[e] = later.reader_line[e], t.reader_launch[e] = launch;
    }
    t.reads[e] = std::uint16_t(std::min<int>(0xffff, t.reads[e] + later.reads[e]));
  }
}

}  // namespace

void merge_touches(std::vector<Touch>& touches, std::vector<Touch> later, std::size_t launch) {
  if (launch > std::numeric_limits<std::uint8_t>::max()) {  // more than a touch can name: rather none
    touches.clear();
    return;
  }
  for (Touch& touch : later) {
    const auto known =
        std::find_if(touches.begin(), touches.end(), [&](const Touch& t) { return t.view == touch.view; });
    if (known == touches.end())
      touches.push_back(std::move(touch));
    else
      merge_touch(*known, touch, std::uint8_t(std::min<std::size_t>(launch, 255)));
  }
}

std::uint16_t source_id(const Run& run, std::string_view name) {
  const std::uint16_t usual = file_id(std::string(name).c_str());
  bool taken = false;
  for (const SourceFile& file : run.files) {
    if (file.name == name) return file.id;
    taken |= file.id == usual;
  }
  return taken ? 0 : usual;
}

const Provenance& provenance_of(const Run& run, std::string_view path) {
  static const Provenance none;
  const Provenance* best = &none;
  std::size_t length = 0;
  for (const auto& [prefix, said] : run.provenance) {
    const bool fits = path == prefix || (path.starts_with(prefix) && path[prefix.size()] == '.');
    if (fits && prefix.size() >= length) best = &said, length = prefix.size();
  }
  return *best;
}

}  // namespace lockstep
