#include "run.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace lockstep {

const std::array<CountField, 10> kCountFields{{
    {"shared_load_wavefronts", &Counts::shared_load_wavefronts},
    {"shared_store_wavefronts", &Counts::shared_store_wavefronts},
    {"shared_async_wavefronts", &Counts::shared_async_wavefronts},
    {"shared_load_conflicts", &Counts::shared_load_conflicts},
    {"shared_store_conflicts", &Counts::shared_store_conflicts},
    {"global_load_requests", &Counts::global_load_requests},
    {"global_load_sectors", &Counts::global_load_sectors},
    {"global_store_requests", &Counts::global_store_requests},
    {"global_store_sectors", &Counts::global_store_sectors},
    {"barriers", &Counts::barriers},
}};

std::string to_string(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, std::get<double>(value)).ptr;
  return {buffer, end};
}

int LabInfo::rung_index(std::string_view slug_) const {
  for (std::size_t i = 0; i < rungs.size(); ++i)
    if (rungs[i].slug == slug_) return int(i);
  return -1;
}

const ViewInfo* Launch::view(std::uint16_t id) const {
  for (const ViewInfo& v : views)
    if (v.id == id) return &v;
  return nullptr;
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
  const auto at = run.metrics.find(name);
  const auto* value = at == run.metrics.end() ? nullptr : std::get_if<T>(&at->second);
  return value ? std::optional(*value) : std::nullopt;
}
std::optional<std::int64_t> whole_metric(const Run& run, const std::string& name) {
  return metric_of<std::int64_t>(run, name);
}
std::optional<double> real_metric(const Run& run, const std::string& name) {
  return metric_of<double>(run, name);
}

std::string_view provenance_of(const Run& run, std::string_view path) {
  std::string_view best;
  std::size_t length = 0;
  for (const auto& [prefix, words] : run.provenance) {
    const bool fits = path == prefix || (path.starts_with(prefix) && path[prefix.size()] == '.');
    if (fits && prefix.size() >= length) best = words, length = prefix.size();
  }
  return best;
}

namespace {

bool applies(const Parameter& p, std::string_view rung) {
  return p.rungs.empty() || std::find(p.rungs.begin(), p.rungs.end(), rung) != p.rungs.end();
}

const Value& default_in(const Parameter& p, std::string_view rung) {
  const auto own = p.rung_defaults.find(std::string(rung));
  return own == p.rung_defaults.end() ? p.default_value : own->second;
}

std::string range_of(const Parameter& p, std::int64_t multiple) {
  if (p.type == "text") return "a formula";
  if (!p.choices.empty()) {
    std::string all;
    for (const auto& choice : p.choices) all += (all.empty() ? "" : ", ") + choice;
    return all;
  }
  const auto whole = [](double x) { return to_string(Value{std::int64_t(x)}); };
  if (p.type == "float") return to_string(Value{p.min}) + " to " + to_string(Value{p.max});
  std::string text = whole(p.min) + " to " + whole(p.max);
  if (multiple > 1) text += ", multiples of " + std::to_string(multiple);
  return text;
}

Error wrong_value(const Parameter& p, const std::string& given) {
  return bad_input("{0} = {1} is not possible: {0} takes {2}", {p.name, given, range_of(p, p.multiple)});
}

constexpr std::size_t kMaxTextBytes = 200;

bool legal(const Parameter& p, const Value& value) {
  if (p.type == "text") {
    const auto* text = std::get_if<std::string>(&value);
    return text && !text->empty() && text->size() <= kMaxTextBytes;
  }
  if (p.type == "int" && !p.choices.empty() &&
      std::find(p.choices.begin(), p.choices.end(), to_string(value)) == p.choices.end())
    return false;
  if (p.type == "choice") {
    const auto* word = std::get_if<std::string>(&value);
    return word && std::find(p.choices.begin(), p.choices.end(), *word) != p.choices.end();
  }
  if (p.type == "float") {
    const auto* x = std::get_if<double>(&value);
    return x && *x >= p.min && *x <= p.max;
  }
  const auto* n = std::get_if<std::int64_t>(&value);
  return n && double(*n) >= p.min && double(*n) <= p.max && *n % p.multiple == 0;
}

const Parameter* find_parameter(const LabInfo& lab, std::string_view name) {
  for (const Parameter& p : lab.parameters)
    if (p.name == name) return &p;
  return nullptr;
}

// Moves a value up to the next multiple that the other parameters allow, down at the end of its range.
void snap(const Parameter& p, Params& params) {
  const auto at = params.find(p.name);
  auto* value = at == params.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  if (!value || p.multiple_of.empty()) return;
  const std::int64_t multiple = multiple_beside(p, params);
  *value = std::min((*value + multiple - 1) / multiple, std::int64_t(p.max) / multiple) * multiple;
}

// Every parameter whose multiple hangs on another one.
Status check_multiples(const LabInfo& lab, const Params& complete) {
  for (const Parameter& p : lab.parameters) {
    const auto at = complete.find(p.name);
    if (at == complete.end() || p.multiple_of.empty()) continue;
    const auto* value = std::get_if<std::int64_t>(&at->second);
    const std::int64_t multiple = multiple_beside(p, complete);
    if (value && *value % multiple != 0)
      return bad_input("{0} = {1} is not possible with {2} = {3}: {0} takes {4}",
                       {p.name, to_string(at->second), p.multiple_of, to_string(complete.at(p.multiple_of)),
                        range_of(p, multiple)});
  }
  return Unit{};
}

Error unknown_parameter(const LabInfo& lab, const std::string& name) {
  std::string all;
  for (const Parameter& p : lab.parameters) all += (all.empty() ? "" : ", ") + p.name;
  return bad_input("unknown parameter '{0}' of lab {1}: it has {2}",
                   {name, lab.slug, all.empty() ? "none" : all});
}

}  // namespace

Result<Params> complete_params(const LabInfo& lab, std::string_view rung, const Params& given) {
  Params complete;
  for (const auto& [name, value] : given) {
    const Parameter* p = find_parameter(lab, name);
    if (!p) return unknown_parameter(lab, name);
    if (!applies(*p, rung))
      return bad_input("{0} has no parameter {1}: leave it out, or choose another rung",
                       {lab.slug + "/" + std::string(rung), name});
    if (!legal(*p, value)) return wrong_value(*p, to_string(value));
    complete[name] = value;
  }
  for (const Parameter& p : lab.parameters)
    if (applies(p, rung)) complete.try_emplace(p.name, default_in(p, rung));
  for (const Parameter& p : lab.parameters)
    if (!given.contains(p.name)) snap(p, complete);
  if (Status fitting = check_multiples(lab, complete); !fitting) return fitting.error();
  if (lab.rule)
    if (Status together = lab.rule(rung, complete); !together) return together.error();
  return complete;
}

std::int64_t multiple_beside(const Parameter& p, const Params& others) {
  const auto other = others.find(p.multiple_of);
  const auto* value = other == others.end() ? nullptr : std::get_if<std::int64_t>(&other->second);
  return std::max(p.multiple, value ? *value / 4 : 1);
}

Params snapped(const LabInfo& lab, Params params) {
  for (const Parameter& p : lab.parameters) snap(p, params);
  return params;
}

Params carried_params(const LabInfo& lab, std::string_view rung, const Params& from) {
  const Params defaults = *complete_params(lab, rung, {});
  Params params = defaults;
  for (const auto& [name, value] : from)
    if (const Parameter* p = find_parameter(lab, name); p && params.contains(name) && legal(*p, value))
      params[name] = value;
  const auto complete = complete_params(lab, rung, snapped(lab, params));
  return complete ? *complete : defaults;
}

Result<std::pair<std::string, Value>> parse_setting(const LabInfo& lab, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return bad_input("--set takes name=value, not '{0}'", {std::string(text)});
  const std::string name(text.substr(0, equals)), given(text.substr(equals + 1));
  const Parameter* p = find_parameter(lab, name);
  if (!p) return unknown_parameter(lab, name);
  const char *begin = given.data(), *end = begin + given.size();
  const auto parse = [&]<class T>(T number) -> Result<std::pair<std::string, Value>> {
    const auto [stop, error] = std::from_chars(begin, end, number);
    if (error != std::errc{} || stop != end || !legal(*p, Value{number})) return wrong_value(*p, given);
    return std::pair{name, Value{number}};
  };
  if (p->type == "int") return parse(std::int64_t{});
  if (p->type == "float") return parse(double{});
  if (!legal(*p, Value{given})) return wrong_value(*p, given);
  return std::pair{name, Value{given}};
}

}  // namespace lockstep
