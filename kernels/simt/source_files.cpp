#include "source_files.hpp"

#include <algorithm>

namespace lockstep::simt {
namespace {

constexpr std::uint16_t kHighest = 0xffff;

// As recordings name a file: "transpose/02_naive.cuh".
std::string_view folder_and_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t folder = slash == path.npos || slash == 0 ? path.npos : path.rfind('/', slash - 1);
  return folder == path.npos ? path : path.substr(folder + 1);
}

}  // namespace

bool SourceFiles::taken(std::uint16_t id) const {
  return std::any_of(files_.begin(), files_.end(), [&](const SourceFile& f) { return f.id == id; });
}

std::uint16_t SourceFiles::id_of(const char* path) {
  return id_of_name(folder_and_name(path), file_id(path));
}

std::uint16_t SourceFiles::id_of_name(std::string_view name, std::uint16_t wanted) {
  for (const SourceFile& f : files_)
    if (f.name == name) return f.id;
  if (taken(wanted)) {
    wanted = kHighest;
    while (taken(wanted)) --wanted;
  }
  files_.push_back({wanted, std::string(name)});
  return wanted;
}

std::string SourceFiles::name_of(std::uint16_t id) const {
  for (const SourceFile& f : files_)
    if (f.id == id) return f.name;
  return {};
}

bool SourceFiles::take(const SourceFiles& later) {
  if (*this == later) return true;
  SourceFiles both = *this;
  for (const SourceFile& f : later.files_)
    if (both.id_of_name(f.name, file_id(f.name.c_str())) != f.id) return false;
  *this = std::move(both);
  return true;
}

}  // namespace lockstep::simt
