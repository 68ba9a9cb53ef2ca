// The window, and pictures of it without one.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "app/draw/language.hpp"
#include "app/model/bench_line.hpp"
#include "app/model/run.hpp"
#include "app/program/program_run.hpp"
#include "app/stories/bookshelf.hpp"
#include "app/stories/story_figures.hpp"
#include "figure.hpp"
#include "runner.hpp"
#include "scene.hpp"

namespace lockstep {

struct ShotOptions {
  Request request;
  std::optional<Run> run;  // set by the caller
  std::optional<Run> compare;
  std::vector<Run> timed;              // recorded runs of the lab that hold a time
  std::string run_name, compare_name;  // of saved runs: their files; "" = the rung's name
  int step = -1;                       // -1 = the lab's opening step
  std::optional<StepKey> at;           // the same by name; goes before it
  int width = 1600, height = 900;      // logical pixels; the picture has scale times as many
  float scale = 1;
  bool dark = false;
  Language language = Language::english;
  bool figure = false;  // headline, stage and sentence as a figure of this size, on the theme's ground
  std::optional<FigureOptions> panels;  // a figure of these
  bool projector = false;
  std::optional<std::pair<std::uint16_t, std::uint64_t>> pinned;  // view, element
  TimelineView timeline;
  float motion = 1;  // how far the step's travelling bytes have come from the step before
  EngineKind engine = EngineKind::automatic;  // that was asked for
  std::filesystem::path output;               // .png or .svg; of a figure .pdf too
  // A scene of the lab's story in its card, from 1 (0: no story), and what the reader answers.
  std::string book;                // of what `story` is a scene in place of the lab's story: "claims/NAME"
  ListPage page = ListPage::none;  // with `home`
  int story = 0;
  std::string answer;
  std::shared_ptr<const Story> tour;  // `story` is a scene of it
  bool notes = false;                 // what stands on the second window
  std::optional<Vec2> lens;           // where the pointer is that enlarges the presentation
  std::vector<std::filesystem::path> stories;
  RunSources sources;                    // of its figures
  std::shared_ptr<Bookshelf> bookshelf;  // has read them, where many pictures are drawn
  // The home in place of a lab: its cards' runs, and what it says of this machine.
  bool home = false;
  std::vector<Run> cards;
  std::vector<Runner::EngineState> engines;
  // A reader's program in place of a lab: its run, its text, and what of it is shown.
  std::shared_ptr<const reader::ProgramRun> program;
  std::filesystem::path program_file;
  std::string program_text;
  int launch = -1, line = 0;  // from 0; from 1. -1 and 0: as it opens
};

// The picture as bytes, by the ending of options.output. Needs no display. A figure says how small its type
// is.
Result<std::vector<std::uint8_t>> shot_bytes(const ShotOptions& options, double* smallest_pt = nullptr);
// Writes it: to a temporary file first, then renamed.
Status render_shot(const ShotOptions& options, double* smallest_pt = nullptr);

struct WindowOptions {
  std::filesystem::path program;
  std::unique_ptr<ProgramJudge> judge;  // of exercises that ask for a program
  std::vector<std::filesystem::path> recordings, stories;
  std::optional<Run> run;  // shown instead of running
  std::string run_name;
  std::optional<Run> compare;  // a saved run beside it
  std::string compare_name;    // of that run, or a rung
  std::optional<SceneFile> scene;
  Request start;
  bool home = false;                          // over `start`, which is where the reader begins
  std::string reader_program;                 // a file of the reader's own to open; "" for none
  std::optional<std::filesystem::path> tour;  // a lecture: it opens in the presentation, with its notes
  int tour_scene = 0;                         // from 0
  bool arrows_walk = false;                   // its scenes
  std::unique_ptr<Runner> runner;
};
// Returns the exit code; *error says why where it is not 0.
int open_window(WindowOptions options, Error* error);

// CPU time per frame of every lab at 1920 x 1080, without a rasteriser.
std::vector<BenchLine> bench_ui(const std::vector<Run>& runs);
// Of the timeline widget with 100,000 spans, all in view and less.
std::vector<BenchLine> bench_timeline();

}  // namespace lockstep
