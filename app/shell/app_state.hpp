// What the reader can change of the window, and the keys by which they do.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/draw/language.hpp"
#include "app/labs/lab.hpp"

namespace lockstep {

// What is shown or compared with is a rung's name or a saved run's file.
inline bool names_saved_run(std::string_view name) { return name.ends_with(".npz"); }
// The recording of another device, in the place of a rung or a saved run: "@NVIDIA H100 80GB HBM3".
inline bool names_device(std::string_view name) { return name.starts_with('@'); }
// "H100 80GB HBM3": the maker is the same for all.
std::string short_device(std::string_view name);
// A teacher's lecture.
inline bool names_tour(std::string_view name) { return name.ends_with(".md"); }
// A CUDA program of the reader's.
inline bool names_program(std::string_view name) { return name.ends_with(".cu"); }

// A list that stands in the home's place.
enum class ListPage { none, exercises, claims };

// Everything that the reader can change; what is on screen is a function of this and the run.
struct AppState {
  bool home = false;               // the home is shown; all else is where its reader goes on
  bool program = false;            // a reader's own program is shown, over the lab
  ListPage page = ListPage::none;  // with `home`
  std::string lab, rung;
  Params params;
  EngineKind engine = EngineKind::automatic;
  std::int64_t block = 0, warp = 0;
  int step = 0;
  bool dark = false, motion = true;
  bool projector = false;  // the presentation instead of the window
  Language language = Language::english;
  double steps_per_second = 8;
  std::optional<std::pair<std::uint16_t, std::uint64_t>> pinned;
  TimelineView timeline;  // of the stages that have one
  std::string compare;    // the rung beside this one, a saved run's name, or "@" and a device; "" = none
  std::string saved;      // name of the saved run that is shown (it ends in .npz); "" = an engine's answer
  int story_scene = -1;   // of the lab's story, from 0; -1: none was entered yet
  // Told in place of the lab's story, one of its scenes entered: "claims/NAME", "exercises/NAME",
  // "tours/NAME"; "": none.
  std::string book;
  bool operator==(const AppState&) const = default;
};

enum class Key {
  left,
  right,
  up,
  down,
  home,
  end,
  page_up,
  page_down,
  space,
  enter,
  escape,
  tab,
  backspace,
  del,
  f6,
  f11,
  character
};
// What can be moved between two parts of the window.
enum class Splitter { none, rail, lesson, card };
struct KeyPress {
  Key key = Key::character;
  char character = 0;  // upper case, for Key::character
  bool ctrl = false, shift = false;
};

}  // namespace lockstep
