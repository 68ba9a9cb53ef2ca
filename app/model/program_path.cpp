#include "program_path.hpp"

namespace lockstep {

namespace fs = std::filesystem;

fs::path executable_path() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

fs::path assets_folder() {
  const fs::path folder = executable_path().parent_path();
  std::error_code ignored;
  const fs::path installed = folder.parent_path() / "share" / "lockstep";
  if (!fs::exists(folder / "assets", ignored) && fs::exists(installed, ignored)) return installed;
  return folder / "assets";
}

}  // namespace lockstep
