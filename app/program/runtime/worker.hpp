// The process that runs a reader's program: it confines itself, loads the two objects, calls main, and leaves its
// records in a file.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/model/result.hpp"

namespace lockstep::reader {

struct WorkOrder {
  std::string program, traced;         // the shared objects
  std::string name;                    // argv[0]
  std::vector<std::string> arguments;
  std::string records;                 // the file to write
  std::string input;                   // a file for the standard input; "" = none
  std::string here;                    // where the program runs
  std::string scratch;                 // the one folder that it may write to
  std::vector<std::string> readable;   // beside the system's headers and libraries
  bool all = false, trust = false;
  int launch = -1, threads = 1;
  std::int64_t block = 0;
  double timeout_s = 20;
  std::uint64_t memory_limit_bytes = 0;
};
std::string line_of(const WorkOrder& order);
Result<WorkOrder> parse_work_order(const std::string& text);

// Never returns but where the order cannot be carried out: the program's own exit code is the process's.
int program_worker_main(const std::string& order_file);

}  // namespace lockstep::reader
