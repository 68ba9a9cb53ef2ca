// A scene as what follows `#` in the address of the page: short enough to send, plain enough to read and to
// change by hand.
//   transpose/padded?n=128&at=write%20out,%20warp%204&story=3
//   %7B%22schema%22%3A1,...           the scene's text, as Ctrl+C copies it
//   home   exercises   claims   exercises/mfu/2   claims/graph_saves
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "scene.hpp"

namespace lockstep {

struct SceneLink {
  std::optional<SceneFile> scene;  // else one of the following
  ListPage page = ListPage::none;
  bool home = false;
  std::string book;      // "exercises/mfu"
  int story_scene = -1;  // of the book, else of the lab's story; from 0
};

// What is on screen, with the step by its name where it has one.
std::string scene_link(const AppState& state, const std::string& moment);
// Whether a text can be meant as a link: it has one line and a '#', or begins as an address of this program
// does.
bool looks_like_link(std::string_view text);
// From a whole address or what follows its '#'. Names and values are checked for their form; whether there is
// such a lab, rung or value is asked later.
Result<SceneLink> parse_scene_link(std::string_view text);

// The words that a link uses beside the settings of a lab, none of which may be called so.
bool is_word_of_link(std::string_view name);

}  // namespace lockstep
