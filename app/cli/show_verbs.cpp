// shot, tour and the window.
#include <array>
#include <cmath>
#include <iostream>

#include "app/cli/exercise_verbs.hpp"
#include "app/cli/pictures.hpp"
#include "app/cli/print.hpp"
#include "app/cli/program_window.hpp"
#include "app/cli/session.hpp"
#include "app/cli/story_verbs.hpp"
#include "app/cli/tour_verbs.hpp"
#include "app/cli/verbs.hpp"
#include "app/cli/window_runner.hpp"
#include "app/labs/lab.hpp"
#include "app/platform/display.hpp"
#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "app/platform/process.hpp"
#include "app/shell/clip.hpp"
#include "app/shell/exercise_desk.hpp"
#include "app/shell/scene.hpp"
#include "app/shell/shell.hpp"
#include "app/stories/story_reader.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kPictureEndings{".png", ".svg"};
constexpr std::array<std::string_view, 3> kFigureEndings{".png", ".svg", ".pdf"};

// A scene file gives what the flags leave open.
Result<ShotArguments> with_scene(ShotArguments arguments) {
  if (!arguments.scene) return arguments;
  auto scene = load_scene(*arguments.scene);
  if (!scene) return scene.error();
  if (arguments.lab && *arguments.lab != scene->lab)
    return bad_input("the scene {0} shows the lab {1}; leave the lab out, or name that one",
                     {*arguments.scene, scene->lab});
  arguments.lab = scene->lab;
  if (!arguments.rung) arguments.rung = scene->rung;
  arguments.settings.insert(arguments.settings.begin(), scene->settings.begin(), scene->settings.end());
  if (!arguments.block) arguments.block = std::to_string(scene->block);
  if (!arguments.warp) arguments.warp = std::to_string(scene->warp);
  if (!arguments.step) {
    arguments.at = scene->at;
    if (!scene->at && scene->step >= 0) arguments.step = std::to_string(scene->step);
  }
  if (!arguments.compare && !scene->compare.empty()) arguments.compare = scene->compare;
  if (!arguments.pin && scene->pinned)
    arguments.pin = std::to_string(scene->pinned->first) + "," + std::to_string(scene->pinned->second);
  if (!arguments.timeline && scene->timeline) arguments.timeline = timeline_text(*scene->timeline);
  if (arguments.timeline && arguments.timeline->empty()) arguments.timeline.reset();
  if (!arguments.theme && scene->dark) arguments.theme = *scene->dark ? "dark" : "light";
  if (!arguments.language && scene->language) arguments.language = code_of(*scene->language);
  arguments.projector |= scene->projector.value_or(false);
  return arguments;
}

// What a scene's block says, as flags.
Result<ShotArguments> set_by(const Story& story, const SceneSetup& setup, ShotArguments arguments) {
  const auto request = scene_request(story.lab, setup);
  if (!request) return request.error();
  arguments.lab = request->lab, arguments.rung = request->rung;
  arguments.settings = setup.settings, arguments.at = setup.at;
  arguments.block = std::to_string(request->block), arguments.warp = std::to_string(request->warp);
  if (!setup.engine.empty() && !arguments.engine) arguments.engine = setup.engine;
  return arguments;
}

// The same for a scene of the lab's story: what it leaves open is as the lab opens.
Result<ShotArguments> with_story(ShotArguments arguments, ShotOptions& options) {
  if (!arguments.story) {
    if (arguments.answer) return bad_input("--answer needs --story N: which question?");
    return arguments;
  }
  if (arguments.scene || arguments.run_file || arguments.rung || arguments.step ||
      !arguments.settings.empty())
    return bad_input(
        "--story sets rung, settings and step; leave out --rung, --set, --step, --scene and --run");
  auto folders = folders_with_stories(arguments);
  if (!folders) return folders.error();
  options.stories = std::move(*folders);
  const StoryShelf shelf = load_stories(options.stories, code_of(options.language));
  const auto told = std::find_if(shelf.stories.begin(), shelf.stories.end(),
                                 [&](const Story& story) { return story.lab == arguments.lab; });
  if (told == shelf.stories.end())
    return bad_input("there is no story of the lab '{0}'", {arguments.lab.value_or("")});
  auto number = parse_whole("--story", *arguments.story, 1, std::int64_t(told->scenes.size()));
  if (!number) return number.error();
  options.story = int(*number), options.answer = arguments.answer.value_or("");
  return set_by(*told, told->scenes[std::size_t(*number - 1)].setup, std::move(arguments));
}

Error no_claim(const StoryShelf& shelf, const std::string& name) {
  std::vector<std::string> known;
  for (const Story& claim : shelf.claims) known.push_back(claim.slug);
  return unknown_word("claim", name, known);
}

// The same for an exercise's part, as the default seed draws it: `shot exercise NAME --part N`.
Result<ShotArguments> with_exercise(ShotArguments arguments, ShotOptions& options) {
  if (!arguments.book_name) return bad_input("which exercise? `lockstep exercise list` lists them");
  auto folders = folders_with_stories(arguments);
  if (!folders) return folders.error();
  options.stories = std::move(*folders);
  ExerciseDesk desk(
      Bookshelf().exercises(exercise_folders_beside(options.stories), code_of(options.language)), {});
  const OpenExercise* open = desk.opened(*arguments.book_name);
  if (!open) {
    std::vector<std::string> known;
    for (const Exercise& exercise : desk.all()) known.push_back(exercise.slug);
    return unknown_word("exercise", *arguments.book_name, known);
  }
  auto number =
      parse_whole("--part", arguments.part.value_or("1"), 1, std::int64_t(open->story.scenes.size()));
  if (!number) return number.error();
  options.book = "exercises/" + *arguments.book_name;
  options.story = int(*number), options.answer = arguments.answer.value_or("");
  return set_by(open->story, open->story.scenes[std::size_t(*number - 1)].setup, std::move(arguments));
}

// The same for a claim: `shot claim NAME`.
Result<ShotArguments> with_claim(ShotArguments arguments, ShotOptions& options) {
  if (arguments.lab.value_or("") == "exercise") return with_exercise(std::move(arguments), options);
  if (arguments.part) return bad_input("--part is of an exercise: shot exercise NAME --part N");
  if (arguments.lab.value_or("") != "claim") {
    if (arguments.book_name) return bad_input("'{0}' is one word too many", {*arguments.book_name});
    return arguments;
  }
  if (!arguments.book_name) return bad_input("which claim? `lockstep story` lists them");
  if (arguments.scene || arguments.run_file || arguments.rung || arguments.step || arguments.story ||
      !arguments.settings.empty())
    return bad_input(
        "a claim sets rung, settings and step; leave out --rung, --set, --step, --story, --scene and --run");
  auto folders = folders_with_stories(arguments);
  if (!folders) return folders.error();
  options.stories = std::move(*folders);
  const StoryShelf shelf = load_stories(options.stories, code_of(options.language));
  const auto told = std::find_if(shelf.claims.begin(), shelf.claims.end(),
                                 [&](const Story& claim) { return claim.slug == *arguments.book_name; });
  if (told == shelf.claims.end()) return no_claim(shelf, *arguments.book_name);
  options.book = "claims/" + told->slug, options.story = 1, options.answer = arguments.answer.value_or("");
  return set_by(*told, told->scenes.front().setup, std::move(arguments));
}

// Whom the lab follows at first, where nobody says whom.
Status follow_first(ShotArguments& arguments) {
  if (arguments.run_file || arguments.block) return Unit{};
  const auto request = make_request(arguments);
  if (!request) return request.error();
  const Lab* lab = find_lab(request->lab);
  const Followed followed = lab ? lab->opens_at(request->rung, request->params) : Followed{};
  if (followed.block) arguments.block = std::to_string(followed.block);
  if (followed.warp && !arguments.warp) arguments.warp = std::to_string(followed.warp);
  return Unit{};
}

// "@h100" is the device whose name holds that, in capitals or not.
Result<std::string> device_named(const std::string& typed, const std::vector<std::string>& known) {
  const auto lower = [](std::string text) {
    for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  std::string all;
  for (const std::string& name : known) {
    if (lower(name).find(lower(typed)) != std::string::npos) return name;
    all += (all.empty() ? "" : ", ") + name;
  }
  if (known.empty()) return unavailable("there is no recording of this rung here to compare with");
  return bad_input(
      "--compare @{0}: there are recordings of {1}; name one of them, or a folder with "
      "--recordings",
      {typed, all});
}

// The run that stands first. Beside a device it is the recording of another device, where no engine is named.
Result<Run> first_run(const ShotArguments& arguments, Session& session) {
  const bool devices = arguments.compare && names_device(*arguments.compare);
  if (!devices || arguments.engine || arguments.run_file) return session.obtain(arguments);
  auto request = make_request(arguments);
  if (!request) return request.error();
  const auto known = session.devices(request->lab, request->rung);
  const auto wanted = device_named(arguments.compare->substr(1), known);
  if (!wanted) return wanted.error();
  const auto other =
      std::find_if(known.begin(), known.end(), [&](const auto& name) { return name != *wanted; });
  if (other == known.end()) return session.obtain(arguments);
  request->engine = EngineKind::recording, request->device = *other;
  if (arguments.block) {
    auto block = parse_block(*arguments.block);
    if (!block) return block.error();
    request->block = block->linear;
  }
  return session.run(*request);
}

// The second run of a comparison: the same settings on another rung, or another device, or a saved run.
Status add_comparison(const ShotArguments& arguments, Session& session, ShotOptions& options) {
  if (!arguments.compare) return Unit{};
  if (names_saved_run(*arguments.compare)) {
    auto saved = session.load_beside(options.run->request.lab, *arguments.compare);
    if (!saved) return saved.error();
    options.compare = std::move(*saved);
    options.compare_name = *arguments.compare;
    return Unit{};
  }
  Request request = options.run->request;
  request.engine = options.run->engine;
  if (names_device(*arguments.compare)) {
    auto device = device_named(arguments.compare->substr(1), session.devices(request.lab, request.rung));
    if (!device) return device.error();
    request.engine = EngineKind::recording, request.device = *device;
    auto run = session.run(request);
    if (!run) return run.error();
    options.compare = std::move(*run), options.compare_name = "@" + *device;
    return Unit{};
  }
  auto other = request_for_rung(request, *arguments.compare);
  if (!other) return other.error();
  auto run = session.run(*other);
  if (!run) return run.error();
  options.compare = std::move(*run);
  return Unit{};
}

}  // namespace

Status prepare_picture(ShotArguments arguments, Session& session, ShotOptions& options) {
  if (Status followed = follow_first(arguments); !followed) return followed;
  auto run = first_run(arguments, session);
  if (!run) return run.error();
  options.request = run->request;
  options.run = std::move(*run);
  options.timed = session.timed(options.run->request.lab);
  options.run_name = arguments.run_file.value_or("");
  if (arguments.warp && arguments.run_file) {
    auto warp = parse_whole("--warp", *arguments.warp, 0, 31);
    if (!warp) return warp.error();
    options.request.warp = options.run->request.warp = *warp;
  }
  if (arguments.engine) options.engine = *engine_named(*arguments.engine);  // checked with the run's settings
  if (Status compared = add_comparison(arguments, session, options); !compared) return compared;
  return Unit{};
}

namespace {

constexpr double kLegiblePt = 5.95;  // 6 pt, but for rounding

// A figure that is narrower than its panels were made for says so.
Status write_picture(const ShotOptions& options) {
  double smallest_pt = 0;
  if (Status written = render_shot(options, &smallest_pt); !written) return written;
  if (options.panels && !options.panels->size && smallest_pt > 0 && smallest_pt < kLegiblePt) {
    char pt[16];
    std::snprintf(pt, sizeof pt, "%.1f", smallest_pt);
    std::cerr << "lockstep: note: the smallest type of this figure is " << pt
              << " pt; a larger --width makes it 6 pt" << std::endl;
  }
  return Unit{};
}

// Where to point the window first.
Result<Request> first_request() {
  RunArguments arguments;
  arguments.lab = yardstick().lab;  // it shows every level of the machine
  return make_request(arguments);
}

// In the place of a lab: what the window opens with, and the lists that stand in its place.
struct PageName {
  std::string_view name;
  ListPage page;
};
constexpr std::array<PageName, 3> kPages{
    {{"home", ListPage::none}, {"exercises", ListPage::exercises}, {"claims", ListPage::claims}}};

Status refuse_lab_flags(const ShotArguments& a) {
  const bool any = a.rung || a.block || a.warp || a.run_file || a.compare || a.step || a.pin || a.timeline ||
                   a.scene || a.figure || !a.settings.empty();
  return any ? bad_input(
                   "the home shows every lab as it opens: leave out everything but --size, --scale, "
                   "--theme, --lang, --projector and --engine")
             : Status(Unit{});
}

Status take_home_picture(const ShotArguments& arguments, const std::vector<fs::path>& recordings,
                         Session& session, ShotOptions& options) {
  if (Status fits = refuse_lab_flags(arguments); !fits) return fits;
  for (const PageName& page : kPages)
    if (page.name == arguments.lab.value_or("")) options.page = page.page;
  options.home = true;
  auto stories = folders_with_stories(arguments);
  if (!stories) return stories.error();
  options.stories = std::move(*stories);
  options.engines = engine_states(recordings);
  for (Request& request : HomeCards::requests()) {
    if (options.page != ListPage::none) break;  // a list has no pictures
    if (arguments.engine) {
      const auto kind = engine_named(*arguments.engine);
      if (!kind) return unknown_word("engine", *arguments.engine, {"auto", "cuda", "emulator", "recording"});
      request.engine = *kind;
    }
    auto run = session.run(request);
    if (!run) return run.error();
    options.cards.push_back(std::move(*run));
  }
  return render_shot(options);
}

}  // namespace

Outcome shoot(const ShotArguments& typed) {
  auto arguments = with_scene(typed);
  if (!arguments) return arguments.error();
  auto options = parse_look(*arguments);
  if (!options) return options.error();
  if (!arguments->output) return bad_input("shot needs -o FILE.png, FILE.svg or, for a figure, FILE.pdf");
  const bool figure = options->figure || options->panels;
  const auto endings = figure ? std::span<const std::string_view>(kFigureEndings) : kPictureEndings;
  if (Status writable = check_output("-o", *arguments->output, endings); !writable) return writable.error();
  options->output = *arguments->output;
  if (names_program(arguments->lab)) return shoot_program(*arguments, std::move(*options));
  if (arguments->launch || arguments->line || arguments->program_arguments)
    return bad_input("--launch, --line and --args are of a CUDA program: shot FILE.cu");
  const bool of_tour = arguments->lab && names_tour(*arguments->lab);
  if (arguments->notes && !of_tour) return bad_input("--notes are of a tour: shot FILE.md --story N --notes");
  arguments = of_tour ? with_tour_scene(*arguments, *options) : with_claim(*arguments, *options);
  if (!arguments) return arguments.error();
  if (!of_tour && options->book.empty()) arguments = with_story(*arguments, *options);
  if (!arguments) return arguments.error();
  auto folders = folders_of(*arguments);
  if (!folders) return folders.error();
  Session session(*folders);
  const auto recording = make_recording_engine(*folders);
  options->sources = {
      [&](const Request& request) { return session.run(request); },
      [&](const std::string& lab, const std::string& rung) { return recording->recorded(lab, rung); }};
  options->at = arguments->at;
  const bool home = std::any_of(kPages.begin(), kPages.end(), [&](const PageName& page) {
    return page.name == arguments->lab.value_or("");
  });
  const Status ready = home ? take_home_picture(*arguments, *folders, session, *options)
                            : prepare_picture(*arguments, session, *options);
  if (!ready) return ready.error();
  if (Status written = write_picture(*options); !written) return written.error();
  return Exit::done;
}

namespace {

constexpr std::array<std::string_view, 3> kClipEndings{".gif", ".mp4", ".webp"};

// "12..40"
Status parse_steps(const std::string& text, ClipOptions& clip) {
  const std::size_t dots = text.find("..");
  if (dots != text.npos) {
    const auto first = parse_whole("--steps", text.substr(0, dots), 0, INT32_MAX);
    const auto last = parse_whole("--steps", text.substr(dots + 2), 0, INT32_MAX);
    if (first && last && *first <= *last)
      return clip.first = int(*first), clip.last = int(*last), Status(Unit{});
  }
  return bad_input("--steps takes FIRST..LAST, two steps from 0 up, not '{0}'", {text});
}

// What can be checked before anything runs.
Result<ClipOptions> parse_clip(const ShotArguments& arguments) {
  auto shot = parse_look(arguments);
  if (!shot) return shot.error();
  ClipOptions clip;
  clip.shot = std::move(*shot);
  // All pictures of a clip are of one size, whatever their captions say.
  if (clip.shot.panels && !clip.shot.panels->size) {
    clip.shot.panels->size = {1280, 720};
  }
  if (!arguments.steps) return bad_input("clip needs --steps FIRST..LAST");
  if (Status steps = parse_steps(*arguments.steps, clip); !steps) return steps.error();
  if (arguments.fps) {
    const auto fps = parse_whole("--fps", *arguments.fps, 2, 60);
    if (!fps) return fps.error();
    clip.fps = int(*fps);
  }
  if (!arguments.output)
    return bad_input("clip needs -o FILE.gif, FILE.mp4 or FILE.webp, or a folder: -o DIR/");
  clip.output = *arguments.output;
  const bool folder = arguments.output->ends_with('/') || fs::is_directory(clip.output);
  const Status writable =
      folder ? make_output_folder(clip.output) : check_output("-o", *arguments.output, kClipEndings);
  if (!writable) return writable.error();
  return clip;
}

}  // namespace

Outcome clip(const ShotArguments& typed) {
  auto arguments = with_scene(typed);
  if (!arguments) return arguments.error();
  auto options = parse_clip(*arguments);
  if (!options) return options.error();
  auto folders = folders_of(*arguments);
  if (!folders) return folders.error();
  Session session(std::move(*folders));
  if (Status ready = prepare_picture(*arguments, session, options->shot); !ready) return ready.error();
  const bool terminal = standard_error_is_terminal();
  const Status written = write_clip(*options, [&](int done, int all) {
    if (terminal) std::cerr << "\rstep " << done << " of " << all << (done == all ? "\n" : "") << std::flush;
    return !interrupted();
  });
  if (!written) return written.error();
  return Exit::done;
}

Outcome write_tour(const ShotArguments& arguments) {
  auto look = parse_look(arguments);
  if (!look) return look.error();
  const fs::path folder = arguments.output.value_or("lockstep-tour");
  if (Status made = make_output_folder(folder); !made) return made.error();
  auto folders = folders_of(arguments);
  if (!folders) return folders.error();
  Session session(std::move(*folders));
  for (const LabInfo* lab : lab_infos()) {
    ShotArguments one = arguments;
    one.lab = lab->slug;
    ShotOptions options = *look;
    options.output = folder / (lab->slug + ".png");
    if (Status ready = prepare_picture(one, session, options); !ready) return ready.error();
    if (Status written = write_picture(options); !written) return written.error();
    std::cout << options.output.string() << std::endl;
  }
  return Exit::done;
}

namespace {

// What the window opens with: a scene, a saved run, a comparison.
Status choose_first(const ShotArguments& arguments, WindowOptions& options) {
  if (arguments.scene) {
    auto scene = load_scene(*arguments.scene);
    if (!scene) return scene.error();
    options.scene = std::move(*scene);
  }
  auto merged = with_scene(arguments);
  if (!merged) return merged.error();
  auto start = merged->lab ? make_request(*merged) : first_request();
  if (!start) return start.error();
  options.start = std::move(*start);
  options.home = !merged->lab && !arguments.run_file && !options.tour;
  Session session(options.recordings);
  if (arguments.run_file) {
    auto run = session.obtain(*merged);
    if (!run) return run.error();
    options.start = run->request;
    options.run = std::move(*run);
    options.run_name = *arguments.run_file;
  }
  if (!arguments.compare) return Unit{};
  options.compare_name = *arguments.compare;
  if (!names_saved_run(options.compare_name)) {
    auto other = request_for_rung(options.start, options.compare_name);
    return other ? Status(Unit{}) : other.error();
  }
  auto other = session.load_beside(options.start.lab, options.compare_name);
  if (!other) return other.error();
  options.compare = std::move(*other);
  return Unit{};
}

}  // namespace

Outcome show_window(const ShotArguments& typed, WindowOptions options) {
  ShotArguments arguments = typed;
  if (options.tour) arguments.lab.reset(), arguments.scene.reset();
  options.program = program_path();
  auto folders = folders_of(arguments);
  if (!folders) return folders.error();
  options.recordings = std::move(*folders);
  auto stories = folders_with_stories(arguments);
  if (!stories) return stories.error();
  options.stories = std::move(*stories);
  options.reader_program = arguments.reader_program.value_or("");
  if (!options.reader_program.empty())
    if (const auto readable = read_file(options.reader_program, std::uint64_t{4} << 20); !readable)
      return readable.error();
  if (Status chosen = choose_first(arguments, options); !chosen) return chosen.error();
  if (!display_available())
    return unavailable("there is no display to open a window on; `lockstep tour` writes pictures instead");
  options.judge = exercise_judge(exercise_folders_beside(options.stories));
  options.runner = make_window_runner(options.program, options.recordings);
  Error error;
  const int code = open_window(std::move(options), &error);
  if (code != 0 && !error.message.id.empty()) return Error{Exit(code), error.message};
  return Exit(code);
}

}  // namespace lockstep
