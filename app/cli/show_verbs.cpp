// shot, tour and the window.
#include <array>
#include <cmath>
#include <iostream>

#include "app/cli/print.hpp"
#include "app/cli/session.hpp"
#include "app/cli/verbs.hpp"
#include "app/cli/window_runner.hpp"
#include "app/labs/lab.hpp"
#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "app/shell/scene.hpp"
#include "app/shell/shell.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kPictureEndings{".png", ".svg"};
constexpr std::array<std::string_view, 2> kThemes{"light", "dark"};
constexpr double kMinScale = 0.5, kMaxScale = 4;

// What can be checked before anything runs.
Result<ShotOptions> parse_look(const ShotArguments& arguments) {
  ShotOptions options;
  if (arguments.size) {
    auto size = parse_size(*arguments.size);
    if (!size) return size.error();
    options.width = size->width;
    options.height = size->height;
  }
  if (arguments.scale) {
    auto scale = parse_number("--scale", *arguments.scale, kMinScale, kMaxScale);
    if (!scale) return scale.error();
    options.scale = float(*scale);
  }
  auto theme = parse_word("--theme", arguments.theme.value_or("light"), kThemes);
  if (!theme) return theme.error();
  options.dark = *theme == 1;
  auto language = parse_language(arguments);
  if (!language) return language.error();
  options.language = *language;
  if (arguments.step) {
    auto step = parse_whole("--step", *arguments.step, 0, INT32_MAX);
    if (!step) return step.error();
    options.step = int(*step);
  }
  options.at = arguments.at;
  if (arguments.pin) {
    auto pin = parse_pin(*arguments.pin);
    if (!pin) return pin.error();
    options.pinned = *pin;
  }
  if (arguments.timeline) {
    auto view = parse_timeline(*arguments.timeline, "--timeline " + *arguments.timeline);
    if (!view) return view.error();
    options.timeline = *view;
  }
  options.figure = arguments.figure;
  options.projector = arguments.projector;
  return options;
}

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
  if (!arguments.language && scene->language)
    arguments.language = *scene->language == Language::chinese ? "zh" : "en";
  arguments.projector |= scene->projector.value_or(false);
  return arguments;
}

// Whom the lab follows at first, where nobody says whom.
Status follow_first(ShotArguments& arguments) {
  if (arguments.run_file || arguments.block || arguments.warp) return Unit{};
  const auto request = make_request(arguments);
  if (!request) return request.error();
  const Lab* lab = find_lab(request->lab);
  const Followed followed = lab ? lab->opens_at(request->rung, request->params) : Followed{};
  if (followed.block) arguments.block = std::to_string(followed.block);
  if (followed.warp) arguments.warp = std::to_string(followed.warp);
  return Unit{};
}

// The second run of a comparison: the same settings on another rung, or a saved run.
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
  auto other = request_for_rung(request, *arguments.compare);
  if (!other) return other.error();
  auto run = session.run(*other);
  if (!run) return run.error();
  options.compare = std::move(*run);
  return Unit{};
}

Status take_picture(ShotArguments arguments, Session& session, ShotOptions& options) {
  if (Status followed = follow_first(arguments); !followed) return followed;
  auto run = session.obtain(arguments);
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
  if (Status compared = add_comparison(arguments, session, options); !compared) return compared;
  return render_shot(options);
}

// Where to point the window first.
Result<Request> first_request() {
  RunArguments arguments;
  arguments.lab = yardstick().lab;  // it shows every level of the machine
  return make_request(arguments);
}

}  // namespace

Outcome shoot(const ShotArguments& typed) {
  auto arguments = with_scene(typed);
  if (!arguments) return arguments.error();
  auto options = parse_look(*arguments);
  if (!options) return options.error();
  if (!arguments->output) return bad_input("shot needs -o FILE.png or -o FILE.svg");
  if (Status writable = check_output("-o", *arguments->output, kPictureEndings); !writable)
    return writable.error();
  options->output = *arguments->output;
  auto folders = folders_of(*arguments);
  if (!folders) return folders.error();
  Session session(std::move(*folders));
  if (Status taken = take_picture(*arguments, session, *options); !taken) return taken.error();
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
    if (Status taken = take_picture(one, session, options); !taken) return taken.error();
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

Outcome show_window(const ShotArguments& arguments) {
  WindowOptions options;
  options.program = program_path();
  auto folders = folders_of(arguments);
  if (!folders) return folders.error();
  options.recordings = std::move(*folders);
  if (Status chosen = choose_first(arguments, options); !chosen) return chosen.error();
  if (!display_available())
    return unavailable("there is no display to open a window on; `lockstep tour` writes pictures instead");
  options.runner = make_window_runner(options.program, options.recordings);
  Error error;
  const int code = open_window(std::move(options), &error);
  if (code != 0 && !error.message.id.empty()) return Error{Exit(code), error.message};
  return Exit(code);
}

}  // namespace lockstep
