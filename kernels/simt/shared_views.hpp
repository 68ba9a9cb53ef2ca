// The ids of shared arrays: interned per run by (file, line) of their declaration.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/model/event.hpp"

namespace lockstep::simt {

// SHARED or DYNAMIC_SHARED as a kernel says it.
struct SharedDeclaration {
  const char* name = "";
  const char* type = "";
  std::uint16_t file = 0;  // file_id()
  int line = 0;
  std::uint32_t element_bytes = 4;
  std::uint64_t rows = 0, cols = 1;
  bool two_dimensional = false;
  std::int64_t dynamic_byte = -1;  // where it starts in dynamic shared memory; -1 = static
  std::uint16_t view = 0;          // Machine fills it in
};

class SharedViews {
 public:
  // kFirstSharedView + line, as recordings have it, where no other file's declaration has that one already;
  // else the highest id that is free.
  std::uint16_t id_of(std::uint16_t file, int line);
  // Remembers what the array is; of several declarations at one place the first stands.
  void describe(const SharedDeclaration& declaration);
  const std::vector<ViewInfo>& described() const { return described_; }
  bool operator==(const SharedViews& other) const { return places_ == other.places_; }

  struct Place {
    std::uint16_t file = 0, id = 0;
    int line = 0;
    bool operator==(const Place&) const = default;
  };
  // Those whose id is not kFirstSharedView + line: a traced kernel on the GPU has to be told.
  std::vector<Place> renamed() const;

 private:
  bool taken(std::uint16_t id) const;
  std::vector<Place> places_;
  std::vector<ViewInfo> described_;
};

}  // namespace lockstep::simt
