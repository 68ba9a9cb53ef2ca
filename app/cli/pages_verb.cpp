#include "app/cli/pages_verb.hpp"

#include <algorithm>
#include <iostream>

#include "app/cli/story_verbs.hpp"
#include "app/engine/engine.hpp"
#include "app/pages/completion.hpp"
#include "app/pages/manual.hpp"
#include "app/pages/site.hpp"
#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "app/platform/process.hpp"

namespace lockstep {
namespace {

// To the file that is named, else to standard output.
Outcome put_text(const PagesArguments& arguments, const std::string& text) {
  if (!arguments.output) {
    std::cout << text << std::flush;
    return Exit::done;
  }
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  if (Status written = write_file_atomically(*arguments.output, bytes); !written) return written.error();
  return Exit::done;
}

// Beside the recordings of each device that has one.
std::vector<std::filesystem::path> validations_in(const std::vector<std::filesystem::path>& recordings) {
  std::error_code error;
  std::vector<std::filesystem::path> found;
  for (const auto& folder : recordings)
    for (const auto& device : std::filesystem::directory_iterator(folder, error))
      if (std::filesystem::exists(device.path() / "validation.json", error))
        found.push_back(device.path() / "validation.json");
  std::sort(found.begin(), found.end());
  return found;
}

// A web page, as a link begins; with what a scene's link adds behind it.
Result<std::string> app_address(const PagesArguments& arguments) {
  const std::string url = arguments.app.value_or("");
  const bool web = url.starts_with("https://") || url.starts_with("http://") || url.starts_with("/") ||
                   url.starts_with("./") || url.starts_with("../");
  const bool plain = url.find_first_of(" \"'<>#") == url.npos;
  if (arguments.app && (!web || !plain))
    return bad_input(
        "--app takes the address of the program's page, as in https://example.org/lockstep/app/, not '{0}'",
        {url});
  return url;
}

}  // namespace

Outcome write_pages(const PagesArguments& arguments, const CommandInfo& commands) {
  if (arguments.manual && arguments.shell) return bad_input("give --man or --completion, not both");
  if (arguments.manual) return put_text(arguments, manual_page(commands));
  if (arguments.shell) {
    const auto shell = parse_word("--completion", *arguments.shell, kShells);
    if (!shell) return shell.error();
    return put_text(arguments, completion_script(Shell(*shell), commands));
  }
  const std::filesystem::path folder =
      arguments.output ? std::filesystem::path(*arguments.output) : user_pages_folder();
  if (folder.empty()) return bad_input("pages needs -o DIR, the folder of the site");
  const auto app = app_address(arguments);
  if (!app) return app.error();
  auto recordings = folders_of(arguments);
  if (!recordings) return recordings.error();
  auto stories = folders_with_stories(arguments);
  if (!stories) return stories.error();
  auto exercises = folders_with_exercises(arguments);
  if (!exercises) return exercises.error();
  if (Status made = make_output_folder(folder); !made) return made.error();
  // No GPU, wherever the pages are written: what they say is the same everywhere.
  const Engines engines{nullptr, make_emulator_engine(), make_recording_engine(*recordings)};
  watch_interrupts();
  const bool terminal = standard_error_is_terminal();
  SiteOptions options;
  options.folder = folder, options.app = *app;
  options.stories = std::move(*stories), options.exercises = std::move(*exercises);
  options.validations = validations_in(*recordings);
  options.sources = sources_of(engines), options.commands = commands;
  options.timed = [&](const std::string& lab) { return timed_recordings(*engines.recording, lab); };
  options.report = [&](const std::string& what) {
    if (terminal) std::cerr << "\r\033[K" << what << std::flush;
    return !interrupted();
  };
  const auto size = write_site(options);
  if (!size) return size.error();
  std::cout << folder.string() << ": " << size->pages << " pages, " << size->pictures << " pictures"
            << std::endl;
  return Exit::done;
}

}  // namespace lockstep
