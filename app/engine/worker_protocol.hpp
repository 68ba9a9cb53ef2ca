// What client and worker say to each other: one JSON object per line. The client orders, the worker answers
// with any number of `progress` lines and one `done` or `error` line; the run itself lies in the shared block
// that the client named. Readers throw DamagedFile.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "engine.hpp"

namespace lockstep {

struct WorkOrder {
  std::int64_t id = 0;
  std::string block;  // the shared block to create
  std::uint64_t memory_limit_bytes = 0;
  Request request;
  int threads = 0;  // of the emulator; 0 = one per core
};

struct WorkerAnswer {
  enum class Type { progress, done, error };
  Type type = Type::progress;
  std::int64_t id = 0;  // of the order
  Progress progress;
  std::uint64_t bytes = 0;  // done: size of the archive in the block
  Error error;
};

std::string line_of(const WorkOrder& order);
std::string line_of(const WorkerAnswer& answer);
WorkOrder parse_order(std::string_view line);
WorkerAnswer parse_answer(std::string_view line);

}  // namespace lockstep
