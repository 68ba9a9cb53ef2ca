// complete: what a shell offers while somebody types. Asked at every press of the tab key, so it opens no
// run.
#include <functional>
#include <iostream>
#include <set>

#include "app/cli/pages_verb.hpp"
#include "app/labs/lab.hpp"
#include "app/platform/paths.hpp"
#include "app/program/templates.hpp"
#include "app/stories/story_reader.hpp"
#include "app/stories/tour.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

struct Candidate {
  std::string word, what;
};
using Candidates = std::vector<Candidate>;

const LabInfo* lab_of(const std::vector<std::string>& of) {
  const Lab* lab = of.empty() ? nullptr : find_lab(of[0]);
  return lab ? &lab->info() : nullptr;
}

Candidates all_labs() {
  Candidates all;
  for (const LabInfo* lab : lab_infos()) all.push_back({lab->slug, lab->title});
  return all;
}

Candidates kernels() {
  Candidates all;
  for (const LabInfo* lab : lab_infos())
    for (const RungInfo& rung : lab->rungs) all.push_back({lab->slug + "/" + rung.slug, rung.idea});
  all.push_back({"all", "every one of them"});
  return all;
}

Candidates rungs_of(const std::vector<std::string>& of) {
  Candidates all;
  if (const LabInfo* lab = lab_of(of))
    for (const RungInfo& rung : lab->rungs) all.push_back({rung.slug, rung.idea});
  return all;
}

Candidates settings_of(const std::vector<std::string>& of) {
  Candidates all;
  const LabInfo* lab = lab_of(of);
  if (!lab) return all;
  const std::string rung = of.size() > 1 && !of[1].empty() ? of[1] : "";
  for (const Parameter& parameter : lab->parameters) {
    const auto& rungs = parameter.rungs;
    const bool has =
        rung.empty() || rungs.empty() || std::find(rungs.begin(), rungs.end(), rung) != rungs.end();
    if (has) all.push_back({parameter.name + "=", title_of(parameter)});
  }
  return all;
}

Candidates values_of(const std::vector<std::string>& of) {
  Candidates all;
  const LabInfo* lab = lab_of(of);
  if (!lab || of.size() < 2) return all;
  for (const Parameter& parameter : lab->parameters) {
    if (parameter.name != of[1]) continue;
    for (const std::string& choice : parameter.choices) all.push_back({choice, title_of(parameter, choice)});
    if (all.empty()) all.push_back({to_string(parameter.default_value), "the default"});
  }
  return all;
}

// By the names of their files.
Candidates files_below(const std::vector<fs::path>& folders) {
  std::set<std::string> names;
  std::error_code error;
  for (const fs::path& folder : folders)
    for (const fs::path& from : {folder, folder / "en"})
      for (const auto& entry : fs::directory_iterator(from, error))
        if (entry.path().extension() == ".md" && entry.path().filename() != "words.md")
          names.insert(entry.path().stem().string());
  Candidates all;
  for (const std::string& name : names) all.push_back({name, ""});
  return all;
}

Candidates claims() {
  std::vector<fs::path> folders;
  for (const fs::path& stories : story_folders({})) folders.push_back(stories.parent_path() / "claims");
  return files_below(folders);
}

// `shot exercise NAME`, `shot claim NAME`
Candidates books(const std::vector<std::string>& of) {
  const std::string kind = of.empty() ? "" : of[0];
  return kind == "claim" ? claims() : kind == "exercise" ? files_below(exercise_folders({})) : Candidates{};
}

Candidates subjects() {
  Candidates all = all_labs();
  for (const char* page : {"home", "exercises", "claims", "exercise", "claim"}) all.push_back({page, ""});
  return all;
}

Candidates tours() {
  Candidates all;
  for (const std::string& name : tour_names(tour_folders({}))) all.push_back({name, ""});
  return all;
}

Candidates templates() {
  Candidates all;
  for (const auto& one : reader::program_templates()) all.push_back({one.name, ""});
  return all;
}

struct Source {
  std::string_view name;
  std::function<Candidates(const std::vector<std::string>&)> list;
};

const std::vector<Source>& sources() {
  using Of = const std::vector<std::string>&;
  static const std::vector<Source> all{
      {"labs", [](Of) { return all_labs(); }},
      {"kernels", [](Of) { return kernels(); }},
      {"rungs", rungs_of},
      {"settings", settings_of},
      {"values", values_of},
      {"exercises", [](Of) { return files_below(exercise_folders({})); }},
      {"books", books},
      {"subjects", [](Of) { return subjects(); }},
      {"tours", [](Of) { return tours(); }},
      {"templates", [](Of) { return templates(); }},
  };
  return all;
}

}  // namespace

Outcome complete_words(const std::optional<std::string>& what, const std::vector<std::string>& of) {
  for (const Source& source : sources())
    if (source.name == what.value_or(""))
      for (const Candidate& one : source.list(of))
        std::cout << one.word << (one.what.empty() ? "" : "\t" + one.what) << "\n";
  std::cout << std::flush;
  return Exit::done;
}

}  // namespace lockstep
