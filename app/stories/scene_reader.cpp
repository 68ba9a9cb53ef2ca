#include "scene_reader.hpp"

#include <algorithm>
#include <charconv>

#include "app/draw/language.hpp"
#include "app/labs/lab.hpp"
#include "app/model/portable.hpp"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

constexpr int kMostMinutes = 600;

}  // namespace

Result<std::vector<Field>> read_front_matter(const SourceText& source, std::size_t& body) {
  constexpr std::string_view kMark = "---\n";
  if (!source.text.starts_with(kMark))
    return source.error(0, {"expected '---' and below it 'lab: ...' and 'title: ...'", {}});
  const std::size_t close = source.text.find("\n---\n", kMark.size() - 1);
  if (close == std::string_view::npos) return source.error(0, {"the '---' below the title is missing", {}});
  body = close + 5;
  return read_fields(source, kMark.size(), close + 1);
}

Result<int> minutes_in(const SourceText& source, const Field& field) {
  const std::string_view text = field.value(source);
  int minutes = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), minutes);
  if (error != std::errc{} || stop != text.data() + text.size() || minutes < 1 || minutes > kMostMinutes)
    return source.error(field.begin, {"expected minutes from 1 to {0}", {std::to_string(kMostMinutes)}});
  return minutes;
}

namespace {

Result<std::int64_t> place_in(const SourceText& source, const Field& field) {
  const std::string_view text = field.value(source);
  std::int64_t place = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), place);
  if (error != std::errc{} || stop != text.data() + text.size() || place < 0)
    return source.error(field.begin, {"expected a whole number from 0 on", {}});
  return place;
}

}  // namespace

Status read_scene_field(const SourceText& source, const Field& field, SceneSetup& setup) {
  const std::string value(field.value(source));
  if (field.key == "lab") {
    if (!find_lab(value)) return source.error(field.begin, {"there is no lab '{0}'", {value}});
    setup.lab = value;
  } else if (field.key == "rung") {
    setup.rung = value, setup.rung_place = source.place(field.begin);
  } else if (field.key == "engine") {
    if (!engine_named(value))
      return source.error(field.begin, {"expected auto, cuda, emulator or recording", {}});
    setup.engine = value;
  } else if (field.key == "at") {
    setup.at = parse_step_key(value), setup.at_place = source.place(field.begin);
    if (!setup.at)
      return source.error(field.begin, {"expected the name of a step, as in 'write out, warp 4'", {}});
  } else if (field.key == "warp" || field.key == "block") {
    auto place = place_in(source, field);
    if (!place) return place.error();
    (field.key == "warp" ? setup.warp : setup.block) = *place;
  } else if (field.key == "frame") {
    setup.frame = value;
  } else {
    setup.settings.push_back(field.key + "=" + value);
    setup.setting_places.push_back(source.place(field.key_begin));
  }
  return Unit{};
}

Status check_setup(const SourceText& source, const LabInfo& lab, const SceneSetup& setup,
                   std::size_t offset) {
  const auto at = [&](TextPlace place, const Error& error) {
    return bad_input("{0}:{1}:{2}: {3}", {source.name, std::to_string(place.line),
                                          std::to_string(place.column), tr(error.message)});
  };
  if (!lab.rungs.empty() && lab.rung_index(setup.rung) < 0) {
    std::string all;
    for (const RungInfo& rung : lab.rungs) all += (all.empty() ? "" : ", ") + rung.slug;
    if (setup.rung.empty()) return source.error(offset, {"expected 'rung: ...', one of {0}", {all}});
    return at(setup.rung_place, bad_input("there is no rung '{0}'; the rungs are {1}", {setup.rung, all}));
  }
  Params given;
  for (std::size_t i = 0; i < setup.settings.size(); ++i) {
    auto setting = parse_setting(lab, setup.settings[i]);
    if (!setting) return at(setup.setting_places[i], setting.error());
    if (!given.insert(*setting).second)
      return at(setup.setting_places[i], bad_input("{0} stands here twice", {setting->first}));
  }
  const auto complete = complete_params(lab, setup.rung, given);
  if (complete) return Unit{};
  return setup.settings.empty() ? source.error(offset, complete.error().message)
                                : at(setup.setting_places.front(), complete.error());
}

Result<SceneSetup> read_setup(const SourceText& source, const MarkdownBlock& block, const LabInfo& lab) {
  SceneSetup setup;
  setup.place = source.place(block.offset);
  auto fields = read_fields(source, block.begin, block.end);
  if (!fields) return fields.error();
  for (const Field& field : *fields)
    if (Status read = read_scene_field(source, field, setup); !read) return read.error();
  const LabInfo& own = setup.lab.empty() ? lab : find_lab(setup.lab)->info();
  if (Status fits = check_setup(source, own, setup, block.offset); !fits) return fits.error();
  return setup;
}

std::vector<fs::path> markdown_files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    if (entry->path().extension() == ".md" && entry->path().stem() != "words") files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace lockstep
