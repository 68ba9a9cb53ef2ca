// The ids of source files in events: interned per run.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/run.hpp"

namespace lockstep::simt {

class SourceFiles {
 public:
  // file_id() of the file's folder and name, as recordings have it, where no other file has that one already;
  // else the highest that is free.
  std::uint16_t id_of(const char* path);
  std::string name_of(std::uint16_t id) const;  // "" where there is none
  // In the order in which they were first asked for.
  const std::vector<SourceFile>& all() const { return files_; }
  // Takes in what a later table found; false, and nothing, where one of its files would have had another id.
  bool take(const SourceFiles& later);
  bool operator==(const SourceFiles&) const = default;

 private:
  std::uint16_t id_of_name(std::string_view name, std::uint16_t wanted);
  bool taken(std::uint16_t id) const;
  std::vector<SourceFile> files_;
};

}  // namespace lockstep::simt
