// Where the program's own files are: found relative to the executable, no absolute path compiled in.
#pragma once
#include <filesystem>

namespace lockstep {

// The running executable; empty where the system does not tell.
std::filesystem::path executable_path();
// The folder `assets` beside the executable, or ../share/lockstep, whichever exists; the first if neither
// does.
std::filesystem::path assets_folder();

}  // namespace lockstep
