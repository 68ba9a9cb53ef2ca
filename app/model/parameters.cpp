// What the knobs of a lab allow, alone and together.
#include <algorithm>
#include <cctype>
#include <charconv>

#include "portable.hpp"
#include "run.hpp"

namespace lockstep {

namespace {

bool applies(const Parameter& p, std::string_view rung) {
  return p.rungs.empty() || std::find(p.rungs.begin(), p.rungs.end(), rung) != p.rungs.end();
}

const Value& default_in(const Parameter& p, std::string_view rung) {
  const auto own = p.rung_defaults.find(std::string(rung));
  return own == p.rung_defaults.end() ? p.default_value : own->second;
}

std::string bound_text(const Parameter& p, double x) {
  return to_string(p.type == "float" ? Value{x} : Value{std::int64_t(x)});
}

Error wrong_value(const Parameter& p, const std::string& given) {
  if (p.type == "text") return bad_input("{0} = {1} is not possible: {0} takes a formula", {p.name, given});
  const std::string least = bound_text(p, p.min), most = bound_text(p, p.max);
  if (p.choices.empty() && p.type == "int" && p.multiple > 1)
    return bad_input("{0} = {1} is not possible: {0} takes {2} to {3}, multiples of {4}",
                     {p.name, given, least, most, std::to_string(p.multiple)});
  if (p.choices.empty())
    return bad_input("{0} = {1} is not possible: {0} takes {2} to {3}", {p.name, given, least, most});
  std::string all;
  for (const auto& choice : p.choices) all += (all.empty() ? "" : ", ") + choice;
  return bad_input("{0} = {1} is not possible: {0} takes {2}", {p.name, given, all});
}

// The multiple that a rung's accesses ask for.
std::int64_t multiple_in(const Parameter& p, std::string_view rung) {
  const auto own = p.rung_multiples.find(std::string(rung));
  return own == p.rung_multiples.end() ? p.multiple : own->second;
}

// Says which legal values lie next to one that is not a multiple.
Error no_multiple(const Parameter& p, std::string_view lab_and_rung, std::int64_t value,
                  std::int64_t multiple) {
  const std::int64_t below = value / multiple * multiple, above = below + multiple;
  const auto possible = [&](std::int64_t x) { return double(x) >= p.min && double(x) <= p.max; };
  std::vector<std::string> args{p.name,
                                std::to_string(value),
                                std::string(lab_and_rung),
                                bound_text(p, p.min),
                                bound_text(p, p.max),
                                std::to_string(multiple)};
  args.push_back(std::to_string(possible(below) ? below : above));
  if (!possible(below) || !possible(above))
    return bad_input(
        "{0} = {1} is not possible for {2}: {0} takes {3} to {4}, multiples of {5}; the nearest is {6}",
        std::move(args));
  args.push_back(std::to_string(above));
  return bad_input(
      "{0} = {1} is not possible for {2}: {0} takes {3} to {4}, multiples of {5}; the nearest are {6} and "
      "{7}",
      std::move(args));
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

// Moves a value up to the next multiple that is legal beside the others, down at the end of its range.
void snap(const Parameter& p, std::string_view rung, Params& params) {
  const auto at = params.find(p.name);
  auto* value = at == params.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  if (!value) return;
  const std::int64_t multiple = multiple_beside(p, rung, params);
  *value = std::min((*value + multiple - 1) / multiple, std::int64_t(p.max) / multiple) * multiple;
}

// Every parameter whose multiple hangs on the rung or on another parameter.
Status check_multiples(const LabInfo& lab, std::string_view rung, const Params& complete) {
  for (const Parameter& p : lab.parameters) {
    const auto at = complete.find(p.name);
    const auto* value = at == complete.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
    if (!value) continue;
    if (const std::int64_t own = multiple_in(p, rung); *value % own != 0)
      return no_multiple(p, lab.slug + "/" + std::string(rung), *value, own);
    if (const std::int64_t multiple = multiple_beside(p, rung, complete); *value % multiple != 0)
      return bad_input("{0} = {1} is not possible with {2} = {3}: {0} takes {4} to {5}, multiples of {6}",
                       {p.name, to_string(at->second), p.multiple_of, to_string(complete.at(p.multiple_of)),
                        bound_text(p, p.min), bound_text(p, p.max), std::to_string(multiple)});
  }
  return Unit{};
}

const std::vector<Params>& sets_of(const LabInfo& lab, std::string_view rung) {
  static const std::vector<Params> none;
  const auto at = lab.sets.find(std::string(rung));
  return at == lab.sets.end() ? none : at->second;
}

int agreements(const Params& set, const Params& params) {
  int same = 0;
  for (const auto& [name, value] : set) {
    const auto at = params.find(name);
    same += at != params.end() && at->second == value;
  }
  return same;
}

// The set that agrees with most of `params`, `first` above all; the earlier one where two agree alike.
const Params* best_set(const std::vector<Params>& sets, const Params& params, const std::string& first = "") {
  const Params* best = nullptr;
  int most = -1;
  for (const Params& set : sets) {
    const auto wanted = params.find(first);
    const bool keeps = wanted != params.end() && set.contains(first) && set.at(first) == wanted->second;
    if (const int same = agreements(set, params) + (keeps ? int(set.size()) : 0); same > most)
      most = same, best = &set;
  }
  return best;
}

std::string set_text(const Params& set) {
  std::string text;
  for (const auto& [name, value] : set) text += (text.empty() ? "" : " ") + name + "=" + to_string(value);
  return text;
}

// Settings that are legal together only: what was given must be part of one of the sets.
Status fill_from_sets(const LabInfo& lab, std::string_view rung, const Params& given, Params& complete) {
  const auto& sets = sets_of(lab, rung);
  if (sets.empty()) return Unit{};
  Params asked;
  for (const auto& [name, value] : sets.front())
    if (const auto at = given.find(name); at != given.end()) asked[name] = at->second;
  const Params* best = best_set(sets, asked);
  if (agreements(*best, asked) != int(asked.size())) {
    std::string all;
    for (const Params& set : sets) all += (all.empty() ? "" : ", ") + set_text(set);
    return bad_input("{0} is not compiled for {1}: it has {2}",
                     {set_text(asked), lab.slug + "/" + std::string(rung), all});
  }
  for (const auto& [name, value] : *best) complete[name] = value;
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
  if (Status filled = fill_from_sets(lab, rung, given, complete); !filled) return filled.error();
  for (const Parameter& p : lab.parameters)
    if (!given.contains(p.name)) snap(p, rung, complete);
  if (Status fitting = check_multiples(lab, rung, complete); !fitting) return fitting.error();
  if (lab.rule)
    if (Status together = lab.rule(rung, complete); !together) return together.error();
  return complete;
}

std::int64_t multiple_beside(const Parameter& p, std::string_view rung, const Params& others) {
  const std::int64_t own = multiple_in(p, rung);
  const auto other = others.find(p.multiple_of);
  if (other == others.end()) return own;
  if (const auto* value = std::get_if<std::int64_t>(&other->second)) return std::max(own, *value / 4);
  const auto asked = p.choice_multiples.find(to_string(other->second));
  const bool concerned = asked != p.choice_multiples.end() && p.rung_multiples.contains(std::string(rung));
  return concerned ? std::max(own, asked->second) : own;
}

std::vector<std::string> choices_in(const LabInfo& lab, std::string_view rung, const Parameter& p) {
  const auto& sets = sets_of(lab, rung);
  if (sets.empty() || !sets.front().contains(p.name)) return p.choices;
  std::vector<std::string> offered;
  for (const std::string& choice : p.choices)
    if (std::any_of(sets.begin(), sets.end(),
                    [&](const Params& set) { return to_string(set.at(p.name)) == choice; }))
      offered.push_back(choice);
  return offered;
}

Params snapped(const LabInfo& lab, std::string_view rung, Params params, const std::string& changed) {
  for (const Parameter& p : lab.parameters) snap(p, rung, params);
  if (const Params* set = best_set(sets_of(lab, rung), params, changed))
    for (const auto& [name, value] : *set) params[name] = value;
  return params;
}

Params carried_params(const LabInfo& lab, std::string_view rung, const Params& from) {
  const Params defaults = *complete_params(lab, rung, {});
  Params params = defaults;
  // What a model is asked about the rung itself (its registers) starts over with each rung.
  const auto is_own = [](const Parameter& p) { return p.model_only && !p.rung_defaults.empty(); };
  for (const auto& [name, value] : from)
    if (const Parameter* p = find_parameter(lab, name);
        p && params.contains(name) && legal(*p, value) && !is_own(*p))
      params[name] = value;
  const auto complete = complete_params(lab, rung, snapped(lab, rung, params));
  return complete ? *complete : defaults;
}

// The choice of this name, whichever letters are capital; the name itself where there is none.
static std::string choice_named(const Parameter& p, const std::string& given) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  for (const std::string& choice : p.choices)
    if (std::equal(choice.begin(), choice.end(), given.begin(), given.end(), same)) return choice;
  return given;
}

// The text as a value of the parameter's type; nothing where it is none.
static std::optional<Value> value_in(const Parameter& p, const std::string& given) {
  if (p.type == "float") return number_in(given);
  if (p.type != "int") return p.type == "choice" ? choice_named(p, given) : given;
  std::int64_t whole = 0;
  const auto [stop, error] = std::from_chars(given.data(), given.data() + given.size(), whole);
  if (error != std::errc{} || stop != given.data() + given.size()) return {};
  return whole;
}

Result<std::pair<std::string, Value>> parse_setting(const LabInfo& lab, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return bad_input("--set takes name=value, not '{0}'", {std::string(text)});
  const std::string name(text.substr(0, equals)), given(text.substr(equals + 1));
  const Parameter* p = find_parameter(lab, name);
  if (!p) return unknown_parameter(lab, name);
  const std::optional<Value> value = value_in(*p, given);
  if (!value || !legal(*p, *value)) return wrong_value(*p, given);
  return std::pair{name, *value};
}

}  // namespace lockstep
