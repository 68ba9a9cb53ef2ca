// The columns of a run file: events, copies, buffers and touches as .npy arrays, all named in columns.cpp.
#pragma once
#include <vector>

#include "app/model/run.hpp"
#include "archive.hpp"

namespace lockstep {

// "launch0/access_offset.npy", ..., "view0/data.npy", "view0/writer_block.npy", ..., and the string table.
void add_columns(const Run& run, std::vector<ArchiveEntry>& entries);

// Fills the columns of a Run made by parse_manifest and checks every length, position, id and range against
// the others. Throws DamagedFile.
void read_columns(const ArchiveReader& archive, Run& run);

}  // namespace lockstep
