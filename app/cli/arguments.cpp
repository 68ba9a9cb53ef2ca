#include "app/cli/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "app/engine/engine.hpp"
#include "app/labs/lab.hpp"
#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"

namespace lockstep {
namespace {

constexpr std::int64_t kMaxWarp = 31;  // 1024 threads
constexpr double kMinTimeoutS = 0.001, kMaxTimeoutS = 1e6;
constexpr Size kSmallest{320, 240}, kLargest{7680, 4320};

// Levenshtein's distance: insertions, deletions and replacements from a to b.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::string joined(const std::vector<std::string>& words, const char* before_last = ", ") {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : &word == &words.back() ? before_last : ", ") + word;
  return text;
}

template <class T>
std::vector<std::string> slugs_of(const std::vector<T>& items) {
  std::vector<std::string> slugs;
  for (const auto& item : items) slugs.push_back(item.slug);
  return slugs;
}

template <class T>
std::optional<T> parse_all(std::string_view text) {
  T value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size()) return {};
  return value;
}

bool has_parameter(const LabInfo& lab, std::string_view name) {
  return std::any_of(lab.parameters.begin(), lab.parameters.end(),
                     [&](const Parameter& p) { return p.name == name; });
}

// "threads=256,registers=64" is two settings: a comma parts them where a parameter's name and '=' follow.
std::vector<std::string> parted(const LabInfo& lab, const std::vector<std::string>& settings) {
  std::vector<std::string> all;
  for (const std::string& text : settings) {
    std::size_t begin = 0;
    for (std::size_t comma = text.find(','); comma != text.npos; comma = text.find(',', comma + 1)) {
      const std::size_t equals = text.find('=', comma);
      if (equals == text.npos || !has_parameter(lab, text.substr(comma + 1, equals - comma - 1))) continue;
      all.push_back(text.substr(begin, comma - begin));
      begin = comma + 1;
    }
    all.push_back(text.substr(begin));
  }
  return all;
}

}  // namespace

Result<Params> parse_settings(const LabInfo& lab, const std::vector<std::string>& settings) {
  Params given;
  for (const std::string& text : parted(lab, settings)) {
    const std::string name = text.substr(0, text.find('='));
    if (text.find('=') != std::string::npos && !has_parameter(lab, name)) {
      std::vector<std::string> known;
      for (const Parameter& p : lab.parameters) known.push_back(p.name);
      return unknown_word("parameter", name, known);
    }
    auto setting = parse_setting(lab, text);
    if (!setting) return setting.error();
    given[setting->first] = setting->second;
  }
  return given;
}

namespace {

Result<const RungInfo*> rung_of_lab(const LabInfo& lab, std::string_view slug) {
  const int index = lab.rung_index(slug);
  if (index < 0) return unknown_word("rung", slug, slugs_of(lab.rungs));
  return &lab.rungs[std::size_t(index)];
}

}  // namespace

std::vector<const LabInfo*> lab_infos() {
  std::vector<const LabInfo*> infos;
  for (const Lab* lab : labs()) infos.push_back(&lab->info());
  return infos;
}

Result<const LabInfo*> lab_named(std::string_view slug) {
  std::vector<std::string> known;
  for (const LabInfo* info : lab_infos()) {
    if (info->slug == slug) return info;
    known.push_back(info->slug);
  }
  return unknown_word("lab", slug, known);
}

Error unknown_word(const std::string& kind, std::string_view given, const std::vector<std::string>& known) {
  const std::string word(given);
  const auto nearer = [&](const auto& a, const auto& b) { return edits(word, a) < edits(word, b); };
  const auto nearest = std::min_element(known.begin(), known.end(), nearer);
  if (nearest == known.end()) return bad_input("there is no {0} '{1}', and none to choose", {kind, word});
  const std::size_t distance = edits(word, *nearest), longer = std::max(word.size(), nearest->size());
  if (distance < longer && distance <= std::max<std::size_t>(2, nearest->size() / 2))
    return bad_input("there is no {0} '{1}'; did you mean '{2}'? Known: {3}",
                     {kind, word, *nearest, joined(known)});
  return bad_input("there is no {0} '{1}'; known: {2}", {kind, word, joined(known)});
}

Result<std::int64_t> parse_whole(const std::string& flag, const std::string& text, std::int64_t min,
                                 std::int64_t max) {
  const auto value = parse_all<std::int64_t>(text);
  if (value && *value >= min && *value <= max) return *value;
  if (max == INT64_MAX)
    return bad_input("{0} takes a whole number from {1} up, not '{2}'", {flag, std::to_string(min), text});
  return bad_input("{0} takes a whole number from {1} to {2}, not '{3}'",
                   {flag, std::to_string(min), std::to_string(max), text});
}

Result<double> parse_number(const std::string& flag, const std::string& text, double min, double max) {
  const auto value = parse_all<double>(text);
  if (value && *value >= min && *value <= max) return *value;
  return bad_input("{0} takes a number from {1} to {2}, not '{3}'",
                   {flag, to_string(Value{min}), to_string(Value{max}), text});
}

Result<Size> parse_size(const std::string& text) {
  const std::size_t x = text.find('x');
  const auto width = parse_all<int>(std::string_view(text).substr(0, x));
  const auto height =
      x == std::string::npos ? std::nullopt : parse_all<int>(std::string_view(text).substr(x + 1));
  if (width && height && *width >= kSmallest.width && *width <= kLargest.width &&
      *height >= kSmallest.height && *height <= kLargest.height)
    return Size{*width, *height};
  return bad_input("--size takes WIDTHxHEIGHT from 320x240 to 7680x4320, not '{0}'", {text});
}

Result<std::pair<std::uint16_t, std::uint64_t>> parse_pin(const std::string& text) {
  const std::size_t comma = text.find(',');
  const auto view = parse_all<std::uint16_t>(std::string_view(text).substr(0, comma));
  const auto element = comma == std::string::npos
                           ? std::nullopt
                           : parse_all<std::uint64_t>(std::string_view(text).substr(comma + 1));
  if (view && element) return std::pair{*view, *element};
  return bad_input("--pin takes VIEW,ELEMENT, two numbers from 0 up, not '{0}'", {text});
}

Result<BlockChoice> parse_block(const std::string& text) {
  const auto refused = bad_input("--block takes a number from 0 up, or x,y or x,y,z, not '{0}'", {text});
  BlockChoice choice;
  if (text.find(',') == std::string::npos) {
    const auto linear = parse_all<std::int64_t>(text);
    if (!linear || *linear < 0) return refused;
    choice.linear = *linear;
    return choice;
  }
  std::array<std::int64_t, 3> position{};
  std::size_t begin = 0, count = 0;
  for (bool more = true; more; ++count) {
    const std::size_t comma = text.find(',', begin);
    more = comma != std::string::npos;
    const auto value = parse_all<std::int64_t>(std::string_view(text).substr(begin, comma - begin));
    if (count == 3 || !value || *value < 0) return refused;
    position[count] = *value;
    begin = comma + 1;
  }
  choice.position = position;
  return choice;
}

Result<std::size_t> parse_word(const std::string& flag, const std::string& text,
                               std::span<const std::string_view> words) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return std::size_t(found - words.begin());
  return bad_input("{0} takes {1}, not '{2}'", {flag, joined({words.begin(), words.end()}, " or "), text});
}

Result<Language> parse_language(const RunArguments& arguments) {
  constexpr std::array<std::string_view, 2> kLanguages{"en", "zh"};
  const auto chosen = parse_word("--lang", arguments.language.value_or("en"), kLanguages);
  if (!chosen) return chosen.error();
  return *chosen == 1 ? Language::chinese : Language::english;
}

Status check_output(const std::string& flag, const std::string& path,
                    std::span<const std::string_view> endings) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (std::find(endings.begin(), endings.end(), ending) == endings.end())
    return bad_input("{0} takes a file name that ends in {1}, not '{2}'",
                     {flag, joined({endings.begin(), endings.end()}, " or "), path});
  return check_writable(path);
}

std::string default_rung(const LabInfo& lab) { return lab.rungs.empty() ? "" : lab.rungs.front().slug; }

Result<Request> make_request(const RunArguments& arguments) {
  Request request;
  if (!arguments.lab) return bad_input("no lab was named; `lockstep list` shows them");
  auto lab = lab_named(*arguments.lab);
  if (!lab) return lab.error();
  const LabInfo& info = **lab;
  request.lab = info.slug;
  request.rung = arguments.rung.value_or(default_rung(info));
  if (arguments.rung)
    if (auto rung = rung_of_lab(info, request.rung); !rung) return rung.error();
  auto given = parse_settings(info, arguments.settings);
  if (!given) return given.error();
  auto params = complete_params(info, request.rung, *given);
  if (!params) return params.error();
  request.params = std::move(*params);
  const std::string engine = arguments.engine.value_or("auto");
  const auto kind = engine_named(engine);
  if (!kind) return unknown_word("engine", engine, {"auto", "cuda", "emulator", "recording"});
  request.engine = *kind;
  if (arguments.warp) {
    auto warp = parse_whole("--warp", *arguments.warp, 0, kMaxWarp);
    if (!warp) return warp.error();
    request.warp = *warp;
  }
  if (arguments.timeout) {
    auto seconds = parse_number("--timeout", *arguments.timeout, kMinTimeoutS, kMaxTimeoutS);
    if (!seconds) return seconds.error();
    request.timeout_s = *seconds;
  }
  request.long_run = arguments.long_run;
  return request;
}

Result<Request> request_for_rung(const Request& request, const std::string& rung) {
  auto lab = lab_named(request.lab);
  if (!lab) return lab.error();
  if (auto known = rung_of_lab(**lab, rung); !known) return known.error();
  Request other = request;
  other.rung = rung;
  other.params = carried_params(**lab, rung, other.params);
  return other;
}

Result<std::int64_t> linear_block(const BlockChoice& choice, const Launch& launch) {
  if (!choice.position) return choice.linear;
  const auto& at = *choice.position;
  for (std::size_t i = 0; i < 3; ++i)
    if (at[i] >= launch.grid[i])
      return bad_input(
          "there is no block {0},{1},{2}: the grid has {3} x {4} x {5} blocks, counted from 0",
          {std::to_string(at[0]), std::to_string(at[1]), std::to_string(at[2]),
           std::to_string(launch.grid[0]), std::to_string(launch.grid[1]), std::to_string(launch.grid[2])});
  return at[0] + launch.grid[0] * (at[1] + launch.grid[1] * at[2]);
}

Result<std::vector<std::filesystem::path>> folders_of(const RunArguments& arguments) {
  std::error_code error;
  for (const std::string& folder : arguments.recordings)
    if (!std::filesystem::is_directory(folder, error))
      return bad_input("--recordings takes a folder, and '{0}' is none", {folder});
  return recording_folders({arguments.recordings.begin(), arguments.recordings.end()});
}

}  // namespace lockstep
