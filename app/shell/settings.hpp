// What is kept between sessions: settings.json below $XDG_CONFIG_HOME/lockstep (or ~/.config).
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/model/result.hpp"

namespace lockstep {

constexpr float kLeastRailWidth = 150, kMostRailWidth = 320, kLeastLessonWidth = 300, kMostLessonWidth = 1200,
                kLeastCardShare = 0.15f, kMostCardShare = 0.85f;

constexpr std::size_t kMostPrograms = 8;  // that are offered again

struct Settings {
  bool dark = false, motion = true;
  std::string language = "en";
  float rail_width = 176, lesson_width = 690;  // of the card and the kernel below it
  // Of the card, with its tabs, in the height of both; 0: what its tab needs.
  float card_share = 0;
  bool card_folded = false;  // to its tabs
  int window_width = 1600, window_height = 900;
  // Where the reader was: a scene's text ("" = nowhere yet), its step from 1 and of how many.
  std::string place;
  int place_step = 0, place_steps = 0;
  int place_story_scene = -1;  // of the lab's story, from 0; -1: none was entered
  std::string place_book;      // told in place of the lab's story: "claims/NAME", "exercises/NAME"
  // What stood in an open field there ("" = none was open): "answer", "block", "warp" or "parameter n".
  std::string typed_field, typed_text;
  // What was answered in each story, by its name: a scene's reply each (StoryReply).
  std::map<std::string, std::vector<std::string>> stories;
  std::map<std::string, std::vector<std::string>> tries;   // the same of what there is to try
  std::map<std::string, std::vector<std::string>> claims;  // and of the claims put to the test
  std::string student_code;           // of the exercises' seed, as the teacher gave it; "": none
  std::vector<std::string> programs;  // files of the reader's that were opened, the last one first
  // What each of them was given, by its path (ProgramDesk::kept_fields).
  std::map<std::string, std::vector<std::string>> program_fields;
  std::string unknown = "{}";  // keys of other versions, kept as they were (JSON text)
  bool operator==(const Settings&) const = default;
};

std::filesystem::path settings_path();
// Missing file: defaults. Broken file: defaults, the file is kept as settings.json.bad, and a notice says so.
Settings load_settings(const std::filesystem::path& path, std::optional<Message>* notice);
// A read-only home is no failure of the program: the Status says why nothing was kept.
Status save_settings(const Settings& settings, const std::filesystem::path& path);

}  // namespace lockstep
