#include "app/cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>

#include "app/cli/exercise_verbs.hpp"
#include "app/cli/print.hpp"
#include "app/cli/story_verbs.hpp"
#include "app/cli/tour_verbs.hpp"
#include "app/cli/verbs.hpp"
#include "app/platform/process.hpp"
#include "kernels/simt/workers.hpp"

namespace lockstep {
namespace {

constexpr std::int64_t kMostThreads = 256;

// Everything that can be typed. CLI11 fills it; all values stay text, so that every refusal is worded in one
// place.
struct Typed {
  ShotArguments arguments;
  std::optional<std::string> folder, file, from;
  bool streams = false, unchecked = false, plan = false;
  ValidateArguments validate;
  StoryArguments story;
  ExerciseArguments exercise;
  bool driver = false, test = false;
};

void add_recordings(CLI::App& app, RunArguments& to) {
  app.add_option("--recordings", to.recordings, "folder with recordings (may be given several times)")
      ->allow_extra_args(false)
      ->type_name("DIR");
}

void add_lab(CLI::App& app, RunArguments& to) {
  app.add_option("LAB", to.lab, "the lab, see `lockstep list`");
}

void add_settings(CLI::App& app, RunArguments& to) {
  app.add_option("--rung", to.rung, "kernel of the lab's ladder")->type_name("R");
  app.add_option("--set", to.settings, "parameter of the lab (may be given several times)")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
}

void add_threads(CLI::App& app, RunArguments& to) {
  app.add_option("--threads", to.threads,
                 "of the emulator, else one per core; its results do not depend on it")
      ->type_name("N");
}

void add_run_flags(CLI::App& app, RunArguments& to) {
  add_lab(app, to);
  add_settings(app, to);
  add_recordings(app, to);
  app.add_option("--engine", to.engine, "auto, cuda, emulator or recording")->type_name("E");
  app.add_option("--block", to.block, "followed block: number, or x,y,z")->type_name("B");
  app.add_option("--warp", to.warp, "followed warp of the block")->type_name("W");
  app.add_option("--timeout", to.timeout, "seconds after which the run is ended")->type_name("S");
  app.add_flag("--long", to.long_run, "go on past the emulator's work limit");
  app.add_option("--run", to.run_file, "a saved run in place of running")->type_name("FILE.npz");
  add_threads(app, to);
}

void add_look(CLI::App& app, ShotArguments& to) {
  app.add_option("--size", to.size, "320x240 to 7680x4320")->type_name("WxH");
  app.add_option("--scale", to.scale, "0.5 to 4")->type_name("S");
  app.add_option("--theme", to.theme, "light or dark")->type_name("T");
  app.add_option("--lang", to.language, "en or zh")->type_name("L");
}

void add_figure(CLI::App& app, ShotArguments& to) {
  app.add_option(
         "--panel", to.panel,
         "these panels as a figure with its caption: stage, headline, code, ladder, numbers, ...; a wrong "
         "name lists those of the lab")
      ->type_name("NAME[,NAME]");
  app.add_option("--ground", to.ground, "of the figure: white, theme or dark")->type_name("G");
}

// Of one that stands in a text.
void add_paper(CLI::App& app, ShotArguments& to) {
  app.add_option("--width", to.width,
                 "of the figure on paper, 40mm to 600mm (else 170mm), or 160px to 7680px")
      ->type_name("MM");
  app.add_flag("--outlines", to.outlines, "the figure's text as curves, not as text in fonts that it brings");
}

// What `shot` and `clip` draw; the step is theirs.
void add_shot_flags(CLI::App& app, ShotArguments& to) {
  add_run_flags(app, to);
  add_look(app, to);
  app.add_option("--compare", to.compare,
                 "a second rung, a saved run, or another device's recording, beside the first")
      ->type_name("R2|FILE.npz|@DEVICE");
  app.add_option("--scene", to.scene, "lab, rung, parameters and step from a file")->type_name("FILE");
  app.add_option("--pin", to.pin, "an element to mark")->type_name("VIEW,ELEMENT");
  app.add_option("--timeline", to.timeline, "what of a timeline is shown, as in a scene")->type_name("JSON");
  app.add_flag("--projector", to.projector, "larger type and higher contrast");
}

// Verbs for a machine with a GPU; those without a description serve scripts/validate.py.
void define_measuring(CLI::App& app, Typed& typed) {
  ShotArguments& to = typed.arguments;
  CLI::App* bench = app.add_subcommand("bench", "measure every rung on this GPU, or the program itself");
  bench->add_option("LAB", to.lab, "a lab, `emulator` or `ui`; else every lab");
  bench->add_flag("--json", to.json, "as JSON");
  bench->add_option("--rung", to.rung, "this rung alone")->type_name("R");
  bench->add_option("--timeout", to.timeout, "seconds for each run")->type_name("S");
  add_threads(*bench, to);

  CLI::App* record = app.add_subcommand("record", "make recordings on this GPU");
  add_lab(*record, to);
  record->add_option("--rung", to.rung, "this rung alone")->type_name("R");
  record->add_option("--timeout", to.timeout, "seconds for each run")->type_name("S");
  record->add_option("-o,--output", typed.folder, "folder, else assets/recordings")->type_name("DIR");
  record->add_option("--counters", to.counters, "what scripts/validate.py counted with the profiler")
      ->type_name("FILE");

  CLI::App* launch = app.add_subcommand("launch", "")->group("");
  add_lab(*launch, to);
  add_settings(*launch, to);
  launch->add_flag("--json", to.json, "");

  CLI::App* validate = app.add_subcommand("validate", "")->group("");
  add_lab(*validate, to);
  validate->add_option("--rung", to.rung, "this rung alone")->type_name("R");
  validate->add_flag("--streams", typed.streams, "");
  validate->add_flag("--unchecked", typed.unchecked, "");
  validate->add_flag("--plan", typed.plan, "");
  validate->add_option("--settings", typed.validate.settings, "");
  validate->add_option("--draw", typed.validate.drawn, "");
  validate->add_option("--seed", typed.validate.seed, "");
  validate->add_flag("--driver", typed.driver, "");  // the occupancy model against the driver
}

void define_reading(CLI::App& app, StoryArguments& to) {
  const auto add_reading = [&](CLI::App& verb) {
    verb.add_option("--lang", to.language, "en or zh")->type_name("L");
    verb.add_option("--stories", to.stories, "folder with stories of your own (may be given several times)")
        ->allow_extra_args(false)
        ->type_name("DIR");
    verb.add_flag("--json", to.json, "as JSON");
  };
  CLI::App* story = app.add_subcommand("story", "the stories, or one of them with its numbers computed");
  story->add_option("LAB|FILE.md", to.lab, "a lab's story, or a file; else the list of all");
  story->add_option("--scene", to.number, "this scene alone, from 1")->type_name("N");
  story->add_option("--answer", to.answer, "is it right? exit 0 or 1")->type_name("TEXT");
  add_reading(*story);
  add_recordings(*story, to);
  add_reading(*app.add_subcommand("words", "the glossary"));
}

void define_exercises(CLI::App& app, ExerciseArguments& to) {
  using Work = ExerciseArguments::Work;
  CLI::App* exercise =
      app.add_subcommand("exercise", "guided exercises: list, show, start, check, grade, new, codes");
  exercise->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, Work work) {
    CLI::App* verb = exercise->add_subcommand(name, what);
    verb->add_option("--exercises", to.folders,
                     "folder with exercises of your own (may be given several times)")
        ->allow_extra_args(false)
        ->type_name("DIR");
    if (work != Work::fresh) verb->add_flag("--json", to.json, "as JSON");
    verb->callback([&to, work] { to.work = work; });
    return verb;
  };
  const auto add_passphrase = [&](CLI::App& verb) {
    verb.add_option("--passphrase-file", to.passphrase_file,
                    "its first line is your passphrase; else LOCKSTEP_PASSPHRASE")
        ->type_name("FILE");
  };
  add("list", "every exercise that there is", Work::list)
      ->add_option("--lang", to.language, "en or zh")
      ->type_name("L");
  CLI::App* show = add("show", "one exercise with the numbers of a code", Work::show);
  show->add_option("NAME|FILE.md", to.subject, "an exercise, see `lockstep exercise list`, or a file");
  show->add_option("--seed", to.seed, "a student's code; else the default numbers")->type_name("CODE");
  show->add_flag("--solutions", to.solutions, "with hints, answers and explanations");
  show->add_option("--lang", to.language, "en or zh")->type_name("L");
  add_recordings(*show, to);
  CLI::App* start = add("start", "write the program that an exercise starts from", Work::start);
  start->add_option("NAME", to.subject, "an exercise that asks for a kernel");
  start->add_option("-o,--output", to.output, "the file; NAME.cu where it is not given")->type_name("FILE");
  CLI::App* check = add("check", "a student's answers or kernel, or an exercise that you wrote", Work::check);
  check->add_option("FILE|NAME", to.subject,
                    "answers (.json), an exercise (.md); or, of a kernel, its exercise");
  check->add_option("PROGRAM", to.program, "a student's kernel (.cu) for the exercise NAME");
  check->add_option("--seed", to.seed, "of a kernel: a student's code")->type_name("CODE");
  add_passphrase(*check);
  add_recordings(*check, to);
  CLI::App* grade = add("grade", "the answers of a class, worked out anew", Work::grade);
  grade->add_option("DIR", to.subject, "the folder with the files");
  grade->add_flag("--csv", to.csv, "a line for each file");
  add_passphrase(*grade);
  add_recordings(*grade, to);
  add("new", "write a small exercise to start from", Work::fresh)
      ->add_option("NAME", to.subject, "the file; .md is added where it is missing");
  CLI::App* codes = add("codes", "a code for each student: what makes the numbers theirs", Work::codes);
  codes->add_option("NAME", to.names, "students, or a .txt file with one name in each line");
  add_passphrase(*codes);
}

void add_stories(CLI::App& app, ShotArguments& to) {
  app.add_option("--stories", to.stories, "folder with stories of your own (may be given several times)")
      ->allow_extra_args(false)
      ->type_name("DIR");
}

void define_pictures(CLI::App& app, ShotArguments& to) {
  CLI::App* shot = app.add_subcommand("shot", "write a picture of one step, or a figure for a paper");
  add_shot_flags(*shot, to);
  shot->get_option("LAB")->description(
      "the lab, see `lockstep list`; `home`, `exercises`, `claims`: those pages; `exercise NAME`, `claim "
      "NAME`; or a CUDA program (.cu)");
  shot->add_option("NAME", to.book_name, "of an exercise or a claim");
  shot->add_option("--part", to.part, "of an exercise: this part, from 1")->type_name("N");
  shot->add_option("--launch", to.launch, "of a program: its launch, from 1")->type_name("N");
  shot->add_option("--line", to.line, "of a program: where the launch first comes to this line")
      ->type_name("L");
  shot->add_option("--args", to.program_arguments, "of a program: what main() is given")->type_name("TEXT");
  shot->add_option("--story", to.story, "the lab as this scene of its story sets it, from 1")->type_name("N");
  shot->add_option("--answer", to.answer, "to that scene's question")->type_name("TEXT");
  add_stories(*shot, to);
  shot->add_option("--step", to.step, "position on the stepper, from 0")->type_name("N");
  add_figure(*shot, to);
  add_paper(*shot, to);
  shot->add_flag("--figure", to.figure, "headline, stage and sentence as a figure of --size");
  shot->add_option("-o,--output", to.output, "the picture; .pdf for figures")
      ->type_name("FILE.png|.svg|.pdf");
  shot->add_flag("--notes", to.notes, "of a tour (FILE.md --story N): what stands on the second window");
  shot->add_option("--lens", to.lens, "the presentation, enlarged where the pointer is")->type_name("X,Y");

  CLI::App* clip =
      app.add_subcommand("clip", "write a stretch of steps as an animation (by ffmpeg), or as pictures");
  add_shot_flags(*clip, to);
  add_figure(*clip, to);
  clip->add_option("--steps", to.steps, "the first and the last step")->type_name("A..B");
  clip->add_option("--fps", to.fps, "pictures a second, 2 to 60; else 12. A step takes half a second")
      ->type_name("N");
  clip->add_option("-o,--output", to.output, "the animation, or a folder for its pictures")
      ->type_name("FILE.gif|.mp4|.webp|DIR/");

  CLI::App* tour = app.add_subcommand(
      "tour",
      "a lecture: its scenes in the window, its notes on a second one; without a file one picture per "
      "lab, which needs no display");
  tour->add_option("FILE", to.lab, "the lecture (.md), or the name of one that the program brings");
  tour->add_option("--scene", to.number, "begin with this one, from 1")->type_name("N");
  tour->add_flag("--arrows", to.arrows, "arrows walk the scenes, for a clicker that sends them");
  add_stories(*tour, to);
  add_look(*tour, to);
  add_recordings(*tour, to);
  tour->add_option("--engine", to.engine, "auto, cuda, emulator or recording")->type_name("E");
  tour->add_option("-o,--output", to.output, "folder, else ./lockstep-tour")->type_name("DIR");

  CLI::App* handout =
      app.add_subcommand("handout", "a lecture on paper: a page per scene, room for the answer");
  handout->add_option("TOUR", to.lab, "the lecture (.md), or the name of one that the program brings");
  handout->add_option("--paper", to.paper, "a4 or letter; else a4")->type_name("P");
  handout->add_flag("--solutions", to.solutions, "what the run answers, and why, in place of the room");
  handout->add_option("--lang", to.language, "en or zh")->type_name("L");
  handout->add_option("--engine", to.engine, "auto, cuda, emulator or recording")->type_name("E");
  add_stories(*handout, to);
  add_recordings(*handout, to);
  handout->add_option("-o,--output", to.output, "the hand-out")->type_name("FILE.pdf");
}

void define(CLI::App& app, Typed& typed) {
  ShotArguments& to = typed.arguments;
  app.require_subcommand(0, 1);
  app.add_option("FILE", typed.file,
                 "a CUDA program (.cu), a tour (.md), a scene (.json) or a saved run (.npz) to open");
  app.add_option("--run", to.run_file, "show a saved run")->type_name("FILE.npz");
  app.add_option("--scene", to.scene, "open a scene")->type_name("FILE");
  app.add_option("--compare", to.compare,
                 "a second rung, a saved run, or another device's recording, beside the first")
      ->type_name("R2|FILE.npz|@DEVICE");
  add_stories(app, to);
  add_recordings(app, to);

  app.add_subcommand("list", "labs, rungs and parameters")->add_flag("--json", to.json, "as JSON");

  CLI::App* run = app.add_subcommand("run", "run one rung and print its numbers");
  add_run_flags(*run, to);
  run->add_flag("--json", to.json, "one JSON object");
  run->add_flag("--say", to.say, "each step in words, line by line, for a screen reader");
  run->add_option("--lang", to.language, "of --say: en or zh")->type_name("L");
  run->get_option("LAB")->description("the lab, see `lockstep list`; or a CUDA program (.cu)");
  run->add_option("--launch", to.launch, "of a program: trace every block of this launch, from 1")
      ->type_name("N");
  run->add_option("--args", to.program_arguments, "of a program: what main() is given")->type_name("TEXT");
  run->add_option("--with", to.sources, "of a program: a further source (may be given several times)")
      ->allow_extra_args(false)
      ->type_name("FILE");
  run->add_option("--input", to.input, "of a program: what it reads from its standard input")
      ->type_name("FILE");
  run->add_option("-I", to.include_folders, "of a program: a folder of headers (may be given several times)")
      ->allow_extra_args(false)
      ->type_name("DIR");
  run->add_option("-D", to.defines, "of a program: a macro (may be given several times)")
      ->allow_extra_args(false)
      ->type_name("NAME[=VALUE]");
  run->add_flag("--all", to.all_blocks, "of a program: trace every block of every launch");
  run->add_flag("--trust", to.trust, "of a program: no sandbox");
  run->add_option("--save", to.save, "keep the run; .json holds the timeline's trace events too")
      ->type_name("FILE.npz|.json");

  define_pictures(app, to);

  CLI::App* program = app.add_subcommand("export", "write a rung as a complete CUDA program");
  program->add_option("LAB/RUNG", to.lab, "the kernel, see `lockstep list`; or `all`, into a folder");
  program->add_option("--set", to.settings, "parameter of the lab (may be given several times)")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  program->add_option("-o,--output", to.output, "the program, else standard output")
      ->type_name("FILE.cu|DIR");

  CLI::App* fresh = app.add_subcommand("new", "write a small CUDA program to start from");
  fresh->add_option("NAME", to.output, "the file; .cu is added where it is missing")->type_name("NAME");
  fresh->add_option("--template", typed.from, template_names())->type_name("T");

  define_reading(app, typed.story);
  define_exercises(app, typed.exercise);
  define_measuring(app, typed);
  CLI::App* doctor = app.add_subcommand("doctor", "which engines work here, and why the others do not");
  doctor->add_flag("--test", typed.test,
                   "and runs every lab once, held against its check; exit 1 if one is wrong");
  add_recordings(*doctor, to);
  add_recordings(*app.add_subcommand("worker", "")->group(""), to);
  app.add_subcommand("worker-program", "")->group("")->add_option("ORDER", typed.file);
}

bool is_file(std::string_view word, std::string_view ending) { return word.ends_with(ending); }

ValidateArguments validation_asked(const Typed& typed) {
  using Work = ValidateArguments::Work;
  ValidateArguments how = typed.validate;
  how.work = typed.plan        ? Work::plan
             : typed.unchecked ? Work::unchecked
             : typed.streams   ? Work::streams
                               : Work::clean;
  return how;
}

Outcome dispatch(const CLI::App& app, const Typed& typed) {
  const ShotArguments& arguments = typed.arguments;
  if (arguments.threads) {
    const auto threads = parse_whole("--threads", *arguments.threads, 1, kMostThreads);
    if (!threads) return threads.error();
    simt::choose_threads(int(*threads));
  }
  if (app.got_subcommand("list")) return list_labs(arguments.json);
  if (app.got_subcommand("worker-program")) return work_on_program(typed.file.value_or(""));
  if (app.got_subcommand("run"))
    return names_program(arguments.lab) ? run_program_verb(arguments) : run_lab(arguments);
  if (app.got_subcommand("shot")) return shoot(arguments);
  if (app.got_subcommand("clip")) return clip(arguments);
  if (app.got_subcommand("tour")) return tour(arguments);
  if (app.got_subcommand("handout")) return write_handout(arguments);
  if (app.got_subcommand("export")) return export_rung(arguments);
  if (app.got_subcommand("new")) return new_program(arguments.output, typed.from);
  if (app.got_subcommand("story")) return tell_story(typed.story);
  if (app.got_subcommand("words")) return list_words(typed.story);
  if (app.got_subcommand("exercise")) return work_on_exercises(typed.exercise);
  if (app.got_subcommand("bench")) return bench(arguments);
  if (app.got_subcommand("record")) return record_labs(arguments, typed.folder);
  if (app.got_subcommand("doctor")) return doctor(arguments, typed.test);
  if (app.got_subcommand("worker")) return work(arguments);
  if (app.got_subcommand("launch")) return launch_lab(arguments);
  if (app.got_subcommand("validate"))
    return typed.driver ? validate_occupancy() : validate_labs(arguments, validation_asked(typed));
  ShotArguments window = arguments;
  if (typed.file && is_file(*typed.file, ".cu"))
    window.reader_program = typed.file;
  else if (typed.file && is_file(*typed.file, ".md"))
    return window.lab = typed.file, tour(window);
  else if (typed.file)
    (is_file(*typed.file, ".npz") ? window.run_file : window.scene) = typed.file;
  return show_window(window, {});
}

int complain(const Error& error) {
  std::cerr << "lockstep: " << one_line(error.text()) << std::endl;
  return int(error.exit);
}

// A first word that is no verb deserves better than "was not expected".
std::optional<Error> unknown_verb(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  if (is_file(argv[1], ".md") || is_file(argv[1], ".json") || is_file(argv[1], ".npz") ||
      is_file(argv[1], ".cu"))
    return {};
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == argv[1]) return {};
    if (!verb->get_group().empty()) verbs.push_back(verb->get_name());
  }
  return unknown_word("command", argv[1], verbs);
}

// What CLI11 itself refuses: unknown flags, missing values, too many words.
int refuse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  const auto used = app.get_subcommands();
  const std::string help = "lockstep " + (used.empty() ? "" : used.front()->get_name() + " ") + "--help";
  return complain(bad_input("{0}; see `{1}`", {error.what(), help}));
}

}  // namespace

int command_line(int argc, char** argv) {
  ignore_file_limit();
  Typed typed;
  CLI::App app{"Lockstep runs real CUDA kernels one step at a time and shows where every byte goes.",
               "lockstep"};
  define(app, typed);
  if (auto error = unknown_verb(app, argc, argv)) return complain(*error);
  try {
    app.parse(argc, argv);
    const Outcome outcome = dispatch(app, typed);
    if (!outcome) return complain(outcome.error());
    if (!std::cout.flush())
      return complain(bad_input("the standard output cannot be written; is the disk full?"));
    return int(*outcome);
  } catch (const CLI::ParseError& error) {
    return refuse(app, error);
  } catch (const std::exception& fault) {
    return complain({Exit::worker_died, {"the program failed: {0}", {fault.what()}}});
  }
}

}  // namespace lockstep
