// Pictures of pages: what the window draws, as SVG in both themes, for wide and narrow screens.
#pragma once
#include <string>
#include <vector>

#include "app/shell/shell.hpp"
#include "site.hpp"

namespace lockstep {

struct PictureText {
  std::string html;   // a figure with its caption
  std::string scene;  // what is on the stage as a scene's text; "" without a run
};

// A lab as a scene sets it.
struct StagePicture {
  std::string name;                   // of its files: "transpose-2"
  std::string page;                   // that it stands on
  std::string lab;                    // where the setup names none
  const SceneSetup* setup = nullptr;  // nullptr: the lab as it opens
  // A scene of the lab's story, of a claim ("claims/NAME") or of an exercise, from 1, whose open question
  // keeps its answer back; 0: nothing is asked.
  std::string book{};
  int scene = 0;
};
Result<PictureText> stage_picture(Site& site, const StagePicture& wanted);
// What the step shows in words, as paragraphs; "" where the run cannot be had.
std::string stage_in_words(Site& site, const StagePicture& wanted);

// A lab's card of the home; `alt` says what it is.
Result<std::string> card_picture(Site& site, const std::string& page, const std::string& lab);
// Of a word of the glossary; "" where it has none.
Result<std::string> word_picture(Site& site, const std::string& page, const Word& word);

}  // namespace lockstep
