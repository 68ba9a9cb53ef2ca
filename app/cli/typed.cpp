#include "app/cli/typed.hpp"

#include <CLI/CLI.hpp>

#include "app/cli/verbs.hpp"

namespace lockstep {
namespace {

void add_recordings(CLI::App& app, RunArguments& to) {
  app.add_option("--recordings", to.recordings, N_("folder with recordings (may be given several times)"))
      ->allow_extra_args(false)
      ->type_name("DIR");
}

void add_lab(CLI::App& app, RunArguments& to) {
  app.add_option("LAB", to.lab, N_("the lab, see `lockstep list`"));
}

void add_settings(CLI::App& app, RunArguments& to) {
  app.add_option("--rung", to.rung, N_("kernel of the lab's ladder"))->type_name("R");
  app.add_option("--set", to.settings, N_("parameter of the lab (may be given several times)"))
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
}

void add_threads(CLI::App& app, RunArguments& to) {
  app.add_option("--threads", to.threads,
                 N_("of the emulator, else one per core; its results do not depend on it"))
      ->type_name("N");
}

void add_run_flags(CLI::App& app, RunArguments& to) {
  add_lab(app, to);
  add_settings(app, to);
  add_recordings(app, to);
  app.add_option("--engine", to.engine, N_("auto, cuda, emulator or recording"))->type_name("E");
  app.add_option("--block", to.block, N_("followed block: number, or x,y,z"))->type_name("B");
  app.add_option("--warp", to.warp, N_("followed warp of the block"))->type_name("W");
  app.add_option("--timeout", to.timeout, N_("seconds after which the run is ended"))->type_name("S");
  app.add_flag("--long", to.long_run, N_("go on past the emulator's work limit"));
  app.add_option("--run", to.run_file, N_("a saved run in place of running"))->type_name("FILE.npz");
  add_threads(app, to);
}

void add_look(CLI::App& app, ShotArguments& to) {
  app.add_option("--size", to.size, N_("320x240 to 7680x4320"))->type_name("WxH");
  app.add_option("--scale", to.scale, N_("0.5 to 4"))->type_name("S");
  app.add_option("--theme", to.theme, N_("light or dark"))->type_name("T");
  app.add_option("--lang", to.language, N_("en or zh"))->type_name("L");
}

void add_figure(CLI::App& app, ShotArguments& to) {
  app.add_option(
         "--panel", to.panel,
         N_("these panels as a figure with its caption: stage, headline, code, ladder, numbers, ...; a wrong "
            "name lists those of the lab"))
      ->type_name("NAME[,NAME]");
  app.add_option("--ground", to.ground, N_("of the figure: white, theme or dark"))->type_name("G");
}

// Of one that stands in a text.
void add_paper(CLI::App& app, ShotArguments& to) {
  app.add_option("--width", to.width,
                 N_("of the figure on paper, 40mm to 600mm (else 170mm), or 160px to 7680px"))
      ->type_name("MM");
  app.add_flag("--outlines", to.outlines,
               N_("the figure's text as curves, not as text in fonts that it brings"));
}

// What `shot` and `clip` draw; the step is theirs.
void add_shot_flags(CLI::App& app, ShotArguments& to) {
  add_run_flags(app, to);
  add_look(app, to);
  app.add_option("--compare", to.compare,
                 N_("a second rung, a saved run, or another device's recording, beside the first"))
      ->type_name("R2|FILE.npz|@DEVICE");
  app.add_option("--scene", to.scene, N_("lab, rung, parameters and step from a file"))->type_name("FILE");
  app.add_option("--pin", to.pin, N_("an element to mark"))->type_name("VIEW,ELEMENT");
  app.add_option("--timeline", to.timeline, N_("what of a timeline is shown, as in a scene"))
      ->type_name("JSON");
  app.add_flag("--projector", to.projector, N_("larger type and higher contrast"));
}

// Verbs for a machine with a GPU; those without a description serve scripts/validate.py.
void define_measuring(CLI::App& app, Typed& typed) {
  ShotArguments& to = typed.arguments;
  CLI::App* bench = app.add_subcommand("bench", N_("measure every rung on this GPU, or the program itself"));
  bench->add_option("LAB", to.lab, N_("a lab, `emulator` or `ui`; else every lab"));
  bench->add_flag("--json", to.json, N_("as JSON"));
  bench->add_option("--rung", to.rung, N_("this rung alone"))->type_name("R");
  bench->add_option("--timeout", to.timeout, N_("seconds for each run"))->type_name("S");
  add_threads(*bench, to);

  CLI::App* record = app.add_subcommand("record", N_("make recordings on this GPU"));
  add_lab(*record, to);
  record->add_option("--rung", to.rung, N_("this rung alone"))->type_name("R");
  record->add_option("--timeout", to.timeout, N_("seconds for each run"))->type_name("S");
  record->add_option("-o,--output", typed.folder, N_("folder, else assets/recordings"))->type_name("DIR");
  record->add_option("--counters", to.counters, N_("what scripts/validate.py counted with the profiler"))
      ->type_name("FILE");

  CLI::App* launch = app.add_subcommand("launch", "")->group("");
  add_lab(*launch, to);
  add_settings(*launch, to);
  launch->add_flag("--json", to.json, "");

  CLI::App* validate = app.add_subcommand("validate", "")->group("");
  add_lab(*validate, to);
  validate->add_option("--rung", to.rung, N_("this rung alone"))->type_name("R");
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
    verb.add_option("--lang", to.language, N_("en or zh"))->type_name("L");
    verb.add_option("--stories", to.stories,
                    N_("folder with stories of your own (may be given several times)"))
        ->allow_extra_args(false)
        ->type_name("DIR");
    verb.add_flag("--json", to.json, N_("as JSON"));
  };
  CLI::App* story = app.add_subcommand("story", N_("the stories, or one of them with its numbers computed"));
  story->add_option("LAB|FILE.md", to.lab, N_("a lab's story, or a file; else the list of all"));
  story->add_option("--scene", to.number, N_("this scene alone, from 1"))->type_name("N");
  story->add_option("--answer", to.answer, N_("is it right? exit 0 or 1"))->type_name("TEXT");
  add_reading(*story);
  add_recordings(*story, to);
  add_reading(*app.add_subcommand("words", N_("the glossary")));
}

void add_exercise_folders(CLI::App& app, ExerciseArguments& to) {
  app.add_option("--exercises", to.folders,
                 N_("folder with exercises of your own (may be given several times)"))
      ->allow_extra_args(false)
      ->type_name("DIR");
}

void define_exercises(CLI::App& app, ExerciseArguments& to) {
  using Work = ExerciseArguments::Work;
  CLI::App* exercise =
      app.add_subcommand("exercise", N_("guided exercises: list, show, start, check, grade, new, codes"));
  exercise->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, Work work) {
    CLI::App* verb = exercise->add_subcommand(name, what);
    add_exercise_folders(*verb, to);
    if (work != Work::fresh) verb->add_flag("--json", to.json, N_("as JSON"));
    verb->callback([&to, work] { to.work = work; });
    return verb;
  };
  const auto add_passphrase = [&](CLI::App& verb) {
    verb.add_option("--passphrase-file", to.passphrase_file,
                    N_("its first line is your passphrase; else LOCKSTEP_PASSPHRASE"))
        ->type_name("FILE");
  };
  add("list", N_("every exercise that there is"), Work::list)
      ->add_option("--lang", to.language, N_("en or zh"))
      ->type_name("L");
  CLI::App* show = add("show", N_("one exercise with the numbers of a code"), Work::show);
  show->add_option("NAME|FILE.md", to.subject, N_("an exercise, see `lockstep exercise list`, or a file"));
  show->add_option("--seed", to.seed, N_("a student's code; else the default numbers"))->type_name("CODE");
  show->add_flag("--solutions", to.solutions, N_("with hints, answers and explanations"));
  show->add_option("--lang", to.language, N_("en or zh"))->type_name("L");
  add_recordings(*show, to);
  CLI::App* start = add("start", N_("write the program that an exercise starts from"), Work::start);
  start->add_option("NAME", to.subject, N_("an exercise that asks for a kernel"));
  start->add_option("-o,--output", to.output, N_("the file; NAME.cu where it is not given"))
      ->type_name("FILE");
  CLI::App* check =
      add("check", N_("a student's answers or kernel, or an exercise that you wrote"), Work::check);
  check->add_option("FILE|NAME", to.subject,
                    N_("answers (.json), an exercise (.md); or, of a kernel, its exercise"));
  check->add_option("PROGRAM", to.program, N_("a student's kernel (.cu) for the exercise NAME"));
  check->add_option("--seed", to.seed, N_("of a kernel: a student's code"))->type_name("CODE");
  add_passphrase(*check);
  add_recordings(*check, to);
  CLI::App* grade = add("grade", N_("the answers of a class, worked out anew"), Work::grade);
  grade->add_option("DIR", to.subject, N_("the folder with the files"));
  grade->add_flag("--csv", to.csv, N_("a line for each file"));
  add_passphrase(*grade);
  add_recordings(*grade, to);
  add("new", N_("write a small exercise to start from"), Work::fresh)
      ->add_option("NAME", to.subject, N_("the file; .md is added where it is missing"));
  CLI::App* codes = add("codes", N_("a code for each student: what makes the numbers theirs"), Work::codes);
  codes->add_option("NAME", to.names, N_("students, or a .txt file with one name in each line"));
  add_passphrase(*codes);
}

void add_stories(CLI::App& app, ShotArguments& to) {
  app.add_option("--stories", to.stories, N_("folder with stories of your own (may be given several times)"))
      ->allow_extra_args(false)
      ->type_name("DIR");
}

// The pages beside the program, and what shells complete: the last is asked by docs/completion alone.
void define_pages(CLI::App& app, Typed& typed) {
  PagesArguments& to = typed.pages;
  CLI::App* pages = app.add_subcommand(
      "pages", N_("stories, exercises, claims, glossary and manual as a web site without scripts"));
  pages->add_option("-o,--output", to.output, N_("the site's folder, else where the window looks for it"))
      ->type_name("DIR");
  pages->add_option("--app", to.app, N_("where the program itself is on the web; else app/ beside the pages"))
      ->type_name("URL");
  pages->add_flag("--man", to.manual, N_("the manual page instead, to standard output or into a file"));
  pages->add_option("--completion", to.shell, N_("what completes in a shell instead: bash, zsh or fish"))
      ->type_name("SHELL");
  add_stories(*pages, to);
  add_exercise_folders(*pages, to);
  add_recordings(*pages, to);
  CLI::App* complete = app.add_subcommand("complete", "")->group("");
  complete->add_option("WHAT", typed.complete_what, "");
  complete->add_option("OF", typed.complete_of, "");
}

void define_pictures(CLI::App& app, ShotArguments& to) {
  CLI::App* shot = app.add_subcommand("shot", N_("write a picture of one step, or a figure for a paper"));
  add_shot_flags(*shot, to);
  shot->get_option("LAB")->description(
      N_("the lab, see `lockstep list`; `home`, `exercises`, `claims`: those pages; `exercise NAME`, `claim "
         "NAME`; or a CUDA program (.cu)"));
  shot->add_option("NAME", to.book_name, N_("of an exercise or a claim"));
  shot->add_option("--part", to.part, N_("of an exercise: this part, from 1"))->type_name("N");
  shot->add_option("--launch", to.launch, N_("of a program: its launch, from 1"))->type_name("N");
  shot->add_option("--line", to.line, N_("of a program: where the launch first comes to this line"))
      ->type_name("L");
  shot->add_option("--args", to.program_arguments, N_("of a program: what main() is given"))
      ->type_name("TEXT");
  shot->add_option("--story", to.story, N_("the lab as this scene of its story sets it, from 1"))
      ->type_name("N");
  shot->add_option("--answer", to.answer, N_("to that scene's question"))->type_name("TEXT");
  add_stories(*shot, to);
  shot->add_option("--step", to.step, N_("position on the stepper, from 0"))->type_name("N");
  add_figure(*shot, to);
  add_paper(*shot, to);
  shot->add_flag("--figure", to.figure, N_("headline, stage and sentence as a figure of --size"));
  shot->add_option("-o,--output", to.output, N_("the picture; .pdf for figures"))
      ->type_name("FILE.png|.svg|.pdf");
  shot->add_flag("--notes", to.notes, N_("of a tour (FILE.md --story N): what stands on the second window"));
  shot->add_option("--lens", to.lens, N_("the presentation, enlarged where the pointer is"))
      ->type_name("X,Y");

  CLI::App* clip =
      app.add_subcommand("clip", N_("write a stretch of steps as an animation (by ffmpeg), or as pictures"));
  add_shot_flags(*clip, to);
  add_figure(*clip, to);
  clip->add_option("--steps", to.steps, N_("the first and the last step"))->type_name("A..B");
  clip->add_option("--fps", to.fps, N_("pictures a second, 2 to 60; else 12. A step takes half a second"))
      ->type_name("N");
  clip->add_option("-o,--output", to.output, N_("the animation, or a folder for its pictures"))
      ->type_name("FILE.gif|.mp4|.webp|DIR/");

  CLI::App* tour = app.add_subcommand(
      "tour",
      N_("a lecture: its scenes in the window, its notes on a second one; without a file one picture per "
         "lab, which needs no display"));
  tour->add_option("FILE", to.lab, N_("the lecture (.md), or the name of one that the program brings"));
  tour->add_option("--scene", to.number, N_("begin with this one, from 1"))->type_name("N");
  tour->add_flag("--arrows", to.arrows, N_("arrows walk the scenes, for a clicker that sends them"));
  add_stories(*tour, to);
  add_look(*tour, to);
  add_recordings(*tour, to);
  tour->add_option("--engine", to.engine, N_("auto, cuda, emulator or recording"))->type_name("E");
  tour->add_option("-o,--output", to.output, N_("folder, else ./lockstep-tour"))->type_name("DIR");

  CLI::App* handout =
      app.add_subcommand("handout", N_("a lecture on paper: a page per scene, room for the answer"));
  handout->add_option("TOUR", to.lab, N_("the lecture (.md), or the name of one that the program brings"));
  handout->add_option("--paper", to.paper, N_("a4 or letter; else a4"))->type_name("P");
  handout->add_flag("--solutions", to.solutions, N_("what the run answers, and why, in place of the room"));
  handout->add_option("--lang", to.language, N_("en or zh"))->type_name("L");
  handout->add_option("--engine", to.engine, N_("auto, cuda, emulator or recording"))->type_name("E");
  add_stories(*handout, to);
  add_recordings(*handout, to);
  handout->add_option("-o,--output", to.output, N_("the hand-out"))->type_name("FILE.pdf");
}

void define_run(CLI::App& app, ShotArguments& to) {
  CLI::App* run = app.add_subcommand("run", N_("run one rung and print its numbers"));
  add_run_flags(*run, to);
  run->add_flag("--json", to.json, N_("one JSON object"));
  run->add_flag("--say", to.say, N_("each step in words, line by line, for a screen reader"));
  run->add_option("--lang", to.language, N_("of --say: en or zh"))->type_name("L");
  run->get_option("LAB")->description(N_("the lab, see `lockstep list`; or a CUDA program (.cu)"));
  run->add_option("--launch", to.launch, N_("of a program: trace every block of this launch, from 1"))
      ->type_name("N");
  run->add_option("--args", to.program_arguments, N_("of a program: what main() is given"))
      ->type_name("TEXT");
  run->add_option("--with", to.sources, N_("of a program: a further source (may be given several times)"))
      ->allow_extra_args(false)
      ->type_name("FILE");
  run->add_option("--input", to.input, N_("of a program: what it reads from its standard input"))
      ->type_name("FILE");
  run->add_option("-I", to.include_folders,
                  N_("of a program: a folder of headers (may be given several times)"))
      ->allow_extra_args(false)
      ->type_name("DIR");
  run->add_option("-D", to.defines, N_("of a program: a macro (may be given several times)"))
      ->allow_extra_args(false)
      ->type_name("NAME[=VALUE]");
  run->add_flag("--all", to.all_blocks, N_("of a program: trace every block of every launch"));
  run->add_flag("--trust", to.trust, N_("of a program: no sandbox"));
  run->add_option("--save", to.save, N_("keep the run; .json holds the timeline's trace events too"))
      ->type_name("FILE.npz|.json");
}

}  // namespace

void define_commands(CLI::App& app, Typed& typed) {
  ShotArguments& to = typed.arguments;
  app.require_subcommand(0, 1);
  app.add_option("FILE", typed.file,
                 N_("a CUDA program (.cu), a tour (.md), a scene (.json), a saved run (.npz) or a link "
                    "(transpose/padded) to open"));
  app.add_option("--run", to.run_file, N_("show a saved run"))->type_name("FILE.npz");
  app.add_option("--scene", to.scene, N_("open a scene"))->type_name("FILE");
  app.add_option("--compare", to.compare,
                 N_("a second rung, a saved run, or another device's recording, beside the first"))
      ->type_name("R2|FILE.npz|@DEVICE");
  add_stories(app, to);
  add_recordings(app, to);

  app.add_subcommand("list", N_("labs, rungs and parameters"))->add_flag("--json", to.json, N_("as JSON"));

  define_run(app, to);
  define_pictures(app, to);

  CLI::App* program = app.add_subcommand("export", N_("write a rung as a complete CUDA program"));
  program->add_option("LAB/RUNG", to.lab, N_("the kernel, see `lockstep list`; or `all`, into a folder"));
  program->add_option("--set", to.settings, N_("parameter of the lab (may be given several times)"))
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  program->add_option("-o,--output", to.output, N_("the program, else standard output"))
      ->type_name("FILE.cu|DIR");

  CLI::App* fresh = app.add_subcommand("new", N_("write a small CUDA program to start from"));
  fresh->add_option("NAME", to.output, N_("the file; .cu is added where it is missing"))->type_name("NAME");
  fresh->add_option("--template", typed.from, template_names())->type_name("T");

  define_reading(app, typed.story);
  define_exercises(app, typed.exercise);
  define_pages(app, typed);
  define_measuring(app, typed);
  CLI::App* doctor = app.add_subcommand("doctor", N_("which engines work here, and why the others do not"));
  doctor->add_flag("--test", typed.test,
                   N_("and runs every lab once, held against its check; exit 1 if one is wrong"));
  doctor->add_flag(
      "--device", typed.device,
      N_("what the driver says of this GPU, explained, beside what data sheets say; without a GPU what "
         "recordings hold"));
  add_recordings(*doctor, to);
  add_recordings(*app.add_subcommand("worker", "")->group(""), to);
  app.add_subcommand("worker-program", "")->group("")->add_option("ORDER", typed.file);
}

}  // namespace lockstep
