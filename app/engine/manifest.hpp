// manifest.json of a run file: everything of a Run but its columns.
#pragma once
#include <string>
#include <string_view>

#include "app/model/run.hpp"

namespace lockstep {

constexpr std::size_t kMaxManifestBytes = std::size_t{64} << 20;

std::string manifest_of(const Run& run);

// The Run with empty columns: launches with their views, one Buffer and Touch per view that has one. Every
// field is checked for its type and range. Throws DamagedFile.
Run parse_manifest(std::string_view text);
// The device alone, without a look at the rest where that can be. Throws DamagedFile as well.
Device parse_device(std::string_view text);

}  // namespace lockstep
