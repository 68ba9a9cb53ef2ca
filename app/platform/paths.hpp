// Where things lie on this machine.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep {

// The running executable; empty where the system does not tell.
std::filesystem::path program_path();

// The folder `assets` beside the executable, or ../share/lockstep, whichever exists; the first if neither
// does. No absolute path is compiled in.
std::filesystem::path assets_folder();

// What a person typed: "~/" is the home folder.
std::filesystem::path typed_path(const std::string& text);
std::filesystem::path home_folder();  // empty where the system does not tell

// Where the system keeps what a font is called (below these, in folders by the fonts' names).
std::vector<std::filesystem::path> system_font_folders();

// Settings are kept here; empty where the system does not tell.
std::filesystem::path user_config_folder();

// What can be made again is kept here between sessions; empty where the system does not tell.
std::filesystem::path user_cache_folder();

// Folders with recordings, the first one wins: those given, the user's data folder, `recordings` beside the
// program, the program's own. Only folders that exist, each once.
std::vector<std::filesystem::path> recording_folders(const std::vector<std::filesystem::path>& given);

// The same for tours.
std::vector<std::filesystem::path> tour_folders(const std::vector<std::filesystem::path>& given);

// The same for stories: a teacher's own stand before those beside the program.
std::vector<std::filesystem::path> story_folders(const std::vector<std::filesystem::path>& given);
// And for exercises.
std::vector<std::filesystem::path> exercise_folders(const std::vector<std::filesystem::path>& given);
// Where `lockstep pages` writes its site unless it is told otherwise; empty where the system does not tell.
std::filesystem::path user_pages_folder();
// With such a site: the user's, the one beside the program, or the program's own; empty where there is none.
std::filesystem::path pages_folder();
// A student's own answers; empty where the system does not tell. It need not exist.
std::filesystem::path user_answers_folder();

}  // namespace lockstep
