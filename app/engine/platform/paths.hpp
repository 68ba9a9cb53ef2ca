// Where things lie on this machine.
#pragma once
#include <filesystem>
#include <vector>

namespace lockstep {

// The running executable; empty where the system does not tell.
std::filesystem::path program_path();

// Folders with recordings, the first one wins: those given, the user's data folder, the one beside the
// program. Only folders that exist, each once.
std::vector<std::filesystem::path> recording_folders(const std::vector<std::filesystem::path>& given);

}  // namespace lockstep
