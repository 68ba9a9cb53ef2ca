#include "worker_protocol.hpp"

#include <nlohmann/json.hpp>

#include "damaged.hpp"
#include "run_json.hpp"

namespace lockstep {

using nlohmann::json;

std::string line_of(const WorkOrder& order) {
  return dump(json{{"id", order.id},
                   {"block", order.block},
                   {"memory_limit_bytes", order.memory_limit_bytes},
                   {"request", json_of(order.request)},
                   {"threads", order.threads}}) +
         "\n";
}

std::string line_of(const WorkerAnswer& answer) {
  json line{{"id", answer.id}};
  switch (answer.type) {
    case WorkerAnswer::Type::progress:
      line["progress"] = {{"fraction", json_of(answer.progress.fraction)},
                          {"what", json_of(answer.progress.what)}};
      break;
    case WorkerAnswer::Type::done:
      line["done"] = {{"bytes", answer.bytes}};
      break;
    case WorkerAnswer::Type::error:
      line["error"] = json_of(answer.error.message);
      line["error"]["exit"] = int(answer.error.exit);
      break;
  }
  return dump(line) + "\n";
}

WorkOrder parse_order(std::string_view line) {
  const json order = parse_object(line);
  return {read_integer(order, "id", 0, INT64_MAX), read_text(order, "block"),
          std::uint64_t(read_integer(order, "memory_limit_bytes", 0, INT64_MAX)),
          read_request(read_object(order, "request")), int(read_integer(order, "threads", 0, INT16_MAX))};
}

WorkerAnswer parse_answer(std::string_view text) {
  const json line = parse_object(text);
  WorkerAnswer answer;
  answer.id = read_integer(line, "id", 0, INT64_MAX);
  if (line.contains("progress")) {
    const json& progress = read_object(line, "progress");
    answer.progress = {read_number(progress, "fraction"), read_message(read_object(progress, "what"))};
  } else if (line.contains("done")) {
    answer.type = WorkerAnswer::Type::done;
    answer.bytes = std::uint64_t(read_integer(read_object(line, "done"), "bytes", 1, INT64_MAX));
  } else {
    answer.type = WorkerAnswer::Type::error;
    const json& error = read_object(line, "error");
    answer.error = {Exit(read_integer(error, "exit", 1, 4)), read_message(error)};
  }
  return answer;
}

}  // namespace lockstep
