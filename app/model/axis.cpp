#include "axis.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace lockstep {
namespace {

constexpr std::string_view kKernelWord = "kernel ", kWarpWord = ", warp ", kAgainWord = " again ";

std::optional<std::int64_t> whole_in(std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || digits.front() == '-' || error != std::errc{} || end != digits.data() + digits.size())
    return {};
  return value;
}

// Takes "<word> <number>" off the end of `text`.
std::optional<std::int64_t> take_number(std::string_view& text, std::string_view word) {
  const std::size_t at = text.rfind(word);
  if (at == text.npos) return {};
  const auto value = whole_in(text.substr(at + word.size()));
  if (value) text = text.substr(0, at);
  return value;
}

bool ends_in_number(std::string_view words) { return take_number(words, " ").has_value(); }

// Words of strangers' files must not read as another part of a key.
std::string without_separators(std::string_view words) {
  std::string clean(words);
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return c == ',' || c == ':' || c == '\n'; }, ' ');
  return clean.empty() ? "step" : clean;
}

}  // namespace

std::string to_text(const StepKey& key) {
  std::string text;
  if (key.launch > 0) text = std::string(kKernelWord) + std::to_string(key.launch) + ": ";
  text += key.phase;
  if (key.index != 0 || key.again > 0 || ends_in_number(key.phase)) text += " " + std::to_string(key.index);
  if (key.again > 0) text += std::string(kAgainWord) + std::to_string(key.again);
  if (key.warp >= 0) text += std::string(kWarpWord) + std::to_string(key.warp);
  return text;
}

std::optional<StepKey> parse_step_key(std::string_view text) {
  StepKey key;
  if (text.starts_with(kKernelWord))
    if (const std::size_t colon = text.find(": "); colon != text.npos)
      if (const auto launch = whole_in(text.substr(kKernelWord.size(), colon - kKernelWord.size()))) {
        if (*launch > INT32_MAX) return {};
        key.launch = int(*launch), text = text.substr(colon + 2);
      }
  const auto warp = take_number(text, kWarpWord), again = take_number(text, kAgainWord);
  if (warp.value_or(0) > INT32_MAX || again.value_or(0) > INT32_MAX) return {};
  key.warp = int(warp.value_or(-1)), key.again = int(again.value_or(0));
  key.index = take_number(text, " ").value_or(0);
  if (text.empty()) return {};
  key.phase = std::string(text);
  return key;
}

std::uint32_t Axis::add_words(std::string_view given) {
  const std::string clean = without_separators(given);
  const auto known = id_of_words_.find(clean);
  const auto id = known == id_of_words_.end() ? std::uint32_t(words_.size()) : known->second;
  if (known == id_of_words_.end()) words_.push_back(clean), steps_of_words_.emplace_back();
  id_of_words_.emplace(given, id), id_of_words_.emplace(clean, id);
  return id;
}

void Axis::add_step(int launch, std::string_view given, std::optional<std::int64_t> index, int warp) {
  std::uint32_t id = places_.empty() ? 0 : places_.back().words;  // most often those of the step before
  if (words_.empty() || words_[id] != given) {
    const auto known = id_of_words_.find(given);
    id = known == id_of_words_.end() ? add_words(given) : known->second;
  }
  Place place{std::uint16_t(launch), 0, id, warp, index.value_or(0)};
  if (index) {
    place.again = std::uint16_t(seen_[{launch, id, *index, warp}]++);
  } else {
    Counter& counter = counters_[{launch, id}];
    if (counter.size() < std::size_t(warp + 2)) counter.resize(std::size_t(warp + 2));
    place.index = counter[std::size_t(warp + 1)]++;
  }
  steps_are_warps_ |= warp >= 0;
  steps_of_words_[id].push_back(std::uint32_t(places_.size()));
  places_.push_back(place);
  if (phases_.empty()) phases_.push_back({0, 0});
  ++phases_.back().count;
}

StepKey Axis::key(int step) const {
  const Place& place = places_.at(std::size_t(step));
  return {place.launch, words_[place.words], place.index, place.again, place.warp};
}

std::optional<std::uint32_t> Axis::words_id(std::string_view words) const {
  const auto known = id_of_words_.find(words);
  return known == id_of_words_.end() ? std::nullopt : std::optional(known->second);
}

int Axis::step_of(const StepKey& key) const {
  const auto id = words_id(key.phase);
  if (!id) return -1;
  for (const std::uint32_t step : steps_of_words_[*id]) {
    const Place& p = places_[step];
    if (p.launch == key.launch && p.warp == key.warp && p.index == key.index && p.again == key.again)
      return int(step);
  }
  return -1;
}

int Axis::step_of_warp(int step, std::int64_t warp) const {
  StepKey wanted = key(step);
  if (wanted.warp < 0 || warp < 0 || warp > INT32_MAX) return -1;
  wanted.warp = int(warp);
  return step_of(wanted);
}

// A warp that this axis does not have there stands for its last one; so does a launch.
int Axis::nearest(const StepKey& key) const {
  const auto id = words_id(key.phase);
  if (!id) return -1;
  const auto& steps = steps_of_words_[*id];
  int launch = -1, warp = -2;
  for (const std::uint32_t step : steps)
    launch = std::max(launch, std::min(int(places_[step].launch), key.launch));
  if (launch < 0) launch = places_[steps.front()].launch;
  for (const std::uint32_t step : steps)
    if (places_[step].launch == launch) warp = std::max(warp, std::min(places_[step].warp, key.warp));
  int found = -1, last = -1;
  for (const std::uint32_t step : steps) {
    const Place& p = places_[step];
    if (p.launch != launch || (warp > -2 && p.warp != warp)) continue;
    if (last < 0 || p.index >= places_[std::size_t(last)].index) last = int(step);
    if (p.index < key.index) continue;
    if (found < 0 || p.index < places_[std::size_t(found)].index ||
        (p.index == places_[std::size_t(found)].index && p.again <= key.again))
      found = int(step);
  }
  return found >= 0 ? found : last;
}

struct StepAligner {
  static AlignedStep align(const Axis& from, int step, const Axis& to) {
    if (to.empty() || step < 0 || step >= from.count()) return {to.empty() ? -1 : 0, false};
    const StepKey key = from.key(step);
    if (const int exact = to.step_of(key); exact >= 0) return {exact, true};
    if (const int near = to.nearest(key); near >= 0) {
      const StepKey found = to.key(near);
      return {near, found.launch == key.launch && found.warp == key.warp};
    }
    // Back over the phases that both have: `to` stands at the end of the last of them.
    const auto& phases = from.phases();
    for (std::size_t p = phases.size(); p-- > 0;) {
      if (phases[p].first >= step || phases[p].count == 0) continue;
      StepKey before = from.key(std::min(step, phases[p].first + phases[p].count) - 1);
      if (before.phase == key.phase) continue;
      if (const int near = to.nearest(before); near >= 0) return {near, false};
    }
    return {0, false};
  }
};

AlignedStep aligned_step(const Axis& from, int step, const Axis& to) {
  return StepAligner::align(from, step, to);
}

}  // namespace lockstep
