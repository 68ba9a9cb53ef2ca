// A block of shared memory with a name, through which a worker hands a run over.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/model/result.hpp"

namespace lockstep {

// A name no other block has. It carries this process's id, see remove_abandoned_blocks.
std::string new_block_name();

// Creates the block and fills it.
Status write_block(const std::string& name, std::span<const std::uint8_t> bytes);
// Copies `count` bytes of the block.
Result<std::vector<std::uint8_t>> read_block(const std::string& name, std::uint64_t count);
// Removing one that is not there is no error.
void remove_block(const std::string& name);

// Blocks left behind by programs that were killed between a worker's writing and their own reading.
void remove_abandoned_blocks();

}  // namespace lockstep
