// A saved run: a NumPy archive (.npz; what a user saves is stored, recordings are deflated). `numpy.load`
// opens both. Nothing in a file is trusted.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "app/model/run.hpp"
#include "archive.hpp"

namespace lockstep {

constexpr int kRunSchema = 1;

// The archive as bytes: manifest.json, columns as .npy, strings.npy.
Result<std::vector<std::uint8_t>> encode_run(const Run& run, Packing packing = Packing::stored);
// Checks every length, shape, offset and name. The error says what is wrong with the file.
Result<Run> decode_run(std::span<const std::uint8_t> archive, const std::string& name);

Result<Run> load_run(const std::filesystem::path& path);
// .npz, or .json (run_to_json)
Status save_run(const Run& run, const std::filesystem::path& path, Packing packing = Packing::stored);

// The one JSON object that `run --json` prints, as text. Numbers that are not finite are null: max_error is
// null where it is infinite or not a number, and then pass is false. `occupancy` is null where it is not
// known; on a device of assets/gpus.json it names `limiter`, `limiters` and `limits` (blocks per SM by each
// resource).
std::string run_to_json(const Run& run);

}  // namespace lockstep
