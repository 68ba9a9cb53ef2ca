#include "app/cli/tour_verbs.hpp"

#include <algorithm>
#include <iterator>

#include "app/cli/pictures.hpp"
#include "app/cli/story_verbs.hpp"
#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "app/shell/handout.hpp"
#include "app/stories/story_reader.hpp"
#include "app/stories/tour.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

struct OpenedTour {
  std::shared_ptr<const Story> tour;
  std::vector<fs::path> stories;
};

// In the language that is asked for, where the tour has it.
Result<OpenedTour> open_named(const ShotArguments& arguments) {
  const auto language = parse_language(arguments);
  if (!language) return language.error();
  const char* code = code_of(*language);
  auto stories = folders_with_stories(arguments);
  if (!stories) return stories.error();
  auto file = find_tour(*arguments.lab, tour_folders({}), code);
  if (!file) return file.error();
  const StoryShelf shelf = load_stories(*stories, code);
  auto tour = load_tour(tour_in_language(*file, code), shelf.stories);
  if (!tour) return tour.error();
  return OpenedTour{std::make_shared<const Story>(std::move(*tour)), std::move(*stories)};
}

Result<int> scene_number(const Story& tour, const char* flag, const std::optional<std::string>& typed) {
  auto number = parse_whole(flag, typed.value_or("1"), 1, std::int64_t(tour.scenes.size()));
  if (!number) return number.error();
  return int(*number);
}

// As the scene sets the lab.
Result<ShotArguments> set_as(ShotArguments arguments, const SceneSetup& setup) {
  const auto request = scene_request("", setup);
  if (!request) return request.error();
  arguments.lab = request->lab, arguments.rung = request->rung, arguments.settings = setup.settings;
  arguments.at = setup.at;
  arguments.block = std::to_string(request->block), arguments.warp = std::to_string(request->warp);
  if (!setup.engine.empty() && !arguments.engine) arguments.engine = setup.engine;
  return arguments;
}

}  // namespace

Result<ShotArguments> with_tour_scene(ShotArguments arguments, ShotOptions& options) {
  if (arguments.scene || arguments.run_file || arguments.rung || arguments.step || arguments.compare ||
      !arguments.settings.empty())
    return bad_input(
        "a tour's scene sets rung, settings and step; leave out --rung, --set, --step, --compare, --scene "
        "and "
        "--run");
  auto opened = open_named(arguments);
  if (!opened) return opened.error();
  auto number = scene_number(*opened->tour, "--story", arguments.story);
  if (!number) return number.error();
  options.tour = opened->tour, options.stories = opened->stories;
  options.story = *number, options.answer = arguments.answer.value_or("");
  return set_as(std::move(arguments), options.tour->scenes[std::size_t(*number - 1)].setup);
}

Outcome tour(const ShotArguments& arguments) {
  if (!arguments.lab) {
    if (arguments.number || arguments.arrows)
      return bad_input("--scene and --arrows are for a lecture: name its file");
    return write_tour(arguments);
  }
  if (arguments.output || arguments.size || arguments.scale || arguments.theme)
    return bad_input(
        "a lecture opens in the window: leave out -o, --size, --scale and --theme; `lockstep shot {0} "
        "--story "
        "N -o FILE.png` draws a scene of it",
        {*arguments.lab});
  auto opened = open_named(arguments);
  if (!opened) return opened.error();
  auto number = scene_number(*opened->tour, "--scene", arguments.number);
  if (!number) return number.error();
  WindowOptions options;
  options.tour = opened->tour->file, options.tour_scene = *number - 1;
  options.arrows_walk = arguments.arrows;
  return show_window(arguments, std::move(options));
}

Outcome write_handout(const ShotArguments& arguments) {
  if (!arguments.lab) return bad_input("handout needs a tour: its file (.md), or its name");
  constexpr std::array<std::string_view, 1> kEndings{".pdf"};
  if (!arguments.output) return bad_input("handout needs -o FILE.pdf");
  if (Status writable = check_output("-o", *arguments.output, kEndings); !writable) return writable.error();
  std::array<std::string_view, std::size(kPapers)> papers;
  std::transform(std::begin(kPapers), std::end(kPapers), papers.begin(),
                 [](const PaperSize& one) { return one.name; });
  const auto paper = parse_word("--paper", arguments.paper.value_or("a4"), papers);
  if (!paper) return paper.error();
  auto look = parse_look(arguments);
  if (!look) return look.error();
  auto opened = open_named(arguments);
  if (!opened) return opened.error();
  auto folders = folders_of(arguments);
  if (!folders) return folders.error();
  Session session(*folders);
  const auto recording = make_recording_engine(*folders);
  HandoutOptions handout;
  handout.paper = kPapers[*paper], handout.solutions = arguments.solutions;
  handout.tour_name = fs::path(*arguments.lab).filename().string();  // the folder is this machine's
  for (std::size_t i = 0; i < opened->tour->scenes.size(); ++i) {
    ShotOptions scene = *look;
    scene.tour = opened->tour, scene.stories = opened->stories, scene.story = int(i + 1);
    scene.sources = {
        [&](const Request& request) { return session.run(request); },
        [&](const std::string& lab, const std::string& rung) { return recording->recorded(lab, rung); }};
    auto set = set_as(arguments, opened->tour->scenes[i].setup);
    if (!set) return set.error();
    scene.at = set->at;
    if (Status ready = prepare_picture(*set, session, scene); !ready) return ready.error();
    handout.scenes.push_back(std::move(scene));
  }
  const auto bytes = handout_pdf(handout);
  if (!bytes) return bytes.error();
  if (Status written = write_file_atomically(*arguments.output, *bytes); !written) return written.error();
  return Exit::done;
}

}  // namespace lockstep
