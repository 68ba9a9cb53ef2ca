// What was typed, and how it becomes a Request. Every refusal names what, the value given, and what is
// allowed.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/language.hpp"
#include "app/model/axis.hpp"
#include "app/model/run.hpp"

namespace lockstep {

// Flags of `run`, `shot` and their kin, as typed. An absent flag is no value; an empty one is a mistake.
struct RunArguments {
  std::optional<std::string> lab, rung, engine, block, warp, timeout, run_file, save, counters, threads,
      language;
  std::vector<std::string> settings, recordings;
  bool long_run = false, json = false, say = false;
  // Of a reader's program.
  std::vector<std::string> sources, include_folders, defines;  // that belong to it
  bool all_blocks = false, trust = false;
};

struct ShotArguments : RunArguments {
  std::optional<std::string> compare, step, pin, timeline, scene, size, scale, theme, output;
  std::optional<std::string> panel, width, ground;  // of a figure
  std::optional<std::string> steps, fps;            // of a clip
  std::optional<StepKey> at;                        // a scene's
  std::optional<std::string> story, answer;         // a scene of the lab's story, from 1
  std::optional<std::string> book_name, part;       // shot claim NAME, shot exercise NAME --part N
  std::vector<std::string> stories;                 // folders
  // Of a reader's program: its launch and line from 1, what main() is given.
  std::optional<std::string> launch, line, program_arguments;
  std::optional<std::string> input;           // a file for its standard input
  std::optional<std::string> reader_program;  // a .cu file for the window
  bool figure = false, projector = false, outlines = false;
  // Of a tour: its scene from 1, and what is shown or printed of it.
  std::optional<std::string> number, paper, lens;
  bool notes = false, solutions = false, arrows = false;
};

// A block as it was typed: its linear number, or x,y,z in a grid that is not known yet.
struct BlockChoice {
  std::int64_t linear = 0;
  std::optional<std::array<std::int64_t, 3>> position;
};

struct Size {
  int width = 0, height = 0;
};

// Every lab of the program, in the order of its table.
std::vector<const LabInfo*> lab_infos();
Result<const LabInfo*> lab_named(std::string_view slug);

// "there is no rung 'naiv'; did you mean 'naive'? The rungs are copy, naive". `kind` in singular.
Error unknown_word(const std::string& kind, std::string_view given, const std::vector<std::string>& known);

Result<std::int64_t> parse_whole(const std::string& flag, const std::string& text, std::int64_t min,
                                 std::int64_t max);
Result<double> parse_number(const std::string& flag, const std::string& text, double min, double max);
// VIEW,ELEMENT
Result<std::pair<std::uint16_t, std::uint64_t>> parse_pin(const std::string& text);
Result<Size> parse_size(const std::string& text);
Result<BlockChoice> parse_block(const std::string& text);
// One of a few words; returns its index.
Result<std::size_t> parse_word(const std::string& flag, const std::string& text,
                               std::span<const std::string_view> words);
// --lang: en or zh; en without it.
Result<Language> parse_language(const RunArguments& arguments);
// The end of the name decides the file type; `path` must be writable.
Status check_output(const std::string& flag, const std::string& path,
                    std::span<const std::string_view> endings);

// NAME=VALUE, and several of them behind commas.
Result<Params> parse_settings(const LabInfo& lab, const std::vector<std::string>& settings);
// Slug of the rung that a lab shows first; "" for a lab without rungs.
std::string default_rung(const LabInfo& lab);
// Lab, rung, parameters, engine, warp and time-out; the block stays 0 until place_block.
Result<Request> make_request(const RunArguments& arguments);
// The same settings on another rung, as far as it has them.
Result<Request> request_for_rung(const Request& request, const std::string& rung);
// Puts x,y,z into the grid.
Result<std::int64_t> linear_block(const BlockChoice& choice, const Launch& launch);

// All folders with recordings; one that was named must exist.
Result<std::vector<std::filesystem::path>> folders_of(const RunArguments& arguments);

}  // namespace lockstep
