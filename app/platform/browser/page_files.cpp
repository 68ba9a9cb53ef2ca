// Files that the page fetches when they are wanted, and those that it keeps or hands out.
#include <emscripten.h>

#include "app/platform/files.hpp"

namespace lockstep {
namespace {

// Module.bring(path): the bytes of a file that lies elsewhere, undefined where it lies here, null where it
// cannot be had. 1: it can be read now.
EM_JS(int, bring, (const char* path), {
  const name = UTF8ToString(path);
  if (!Module['bring']) return 1;
  const bytes = Module['bring'](name);
  if (bytes) FS.mkdirTree(name.slice(0, name.lastIndexOf('/'))), FS.writeFile(name, bytes);
  return Object.is(bytes, null) ? 0 : 1;
});

// Module.written(path, bytes), where there is a page.
EM_JS(void, written, (const char* path, const std::uint8_t* bytes, std::size_t count), {
  if (Module['written']) Module['written'](UTF8ToString(path), HEAPU8.slice(bytes, bytes + count));
});

}  // namespace

void tell_written(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  written(path.c_str(), bytes.data(), bytes.size());
}

Status bring_file(const std::filesystem::path& path) {
  if (bring(path.c_str())) return Unit{};
  return unavailable("{0} could not be fetched: the connection is gone, or the page has moved; try again",
                     {path.filename().string()});
}

}  // namespace lockstep
