#include "run_json.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "damaged.hpp"

namespace lockstep {

using nlohmann::json;

namespace {

constexpr auto kRepair = json::error_handler_t::replace;

std::string named(const char* key, const char* what) { return std::string("'") + key + "' " + what; }

double number_from(const json& value, const char* key) {
  if (value.is_number()) return value.get<double>();
  require(value.is_object() && value.contains("float"), named(key, "is not a number"));
  const std::string word = read_text(value, "float");
  if (word == "inf") return std::numeric_limits<double>::infinity();
  if (word == "-inf") return -std::numeric_limits<double>::infinity();
  require(word == "nan", named(key, "is not a number"));
  return std::numeric_limits<double>::quiet_NaN();
}

// nlohmann keeps whole numbers above 2^63 as unsigned ones; no field here is that large.
std::int64_t integer_from(const json& value, const char* key) {
  require(value.is_number_integer(), named(key, "is not a whole number"));
  require(!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t(INT64_MAX),
          named(key, "is too large"));
  return value.get<std::int64_t>();
}

std::string text_from(const json& value, const char* key) {
  require(value.is_string(), named(key, "is not a text"));
  auto text = value.get<std::string>();
  require(text.size() <= kMaxStringBytes, named(key, "is too long"));
  return text;
}

Value value_from(const json& value, const char* key) {
  if (value.is_string()) return text_from(value, key);
  if (value.is_number_integer()) return integer_from(value, key);
  return number_from(value, key);
}

}  // namespace

json json_of(double number) {
  if (std::isfinite(number)) return number;
  return {{"float", std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf"}};
}

json json_of(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return json_of(*number);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  return std::get<std::string>(value);
}

json json_of(const std::map<std::string, Value>& values) {
  json object = json::object();
  for (const auto& [name, value] : values) object[name] = json_of(value);
  return object;
}

std::map<std::string, std::string> provenance_words(const Run& run) {
  std::map<std::string, std::string> words;
  for (const auto& [path, said] : run.provenance) words[path] = said.words();
  return words;
}

json json_of(const Message& message) { return {{"id", message.id}, {"args", message.args}}; }

json json_of(const Request& request) {
  json object{{"lab", request.lab},
              {"rung", request.rung},
              {"params", json_of(request.params)},
              {"engine", name_of(request.engine)},
              {"block", request.block},
              {"warp", request.warp},
              {"timeout_s", json_of(request.timeout_s)},
              {"long_run", request.long_run},
              {"time", request.time},
              {"trace", request.trace}};
  if (!request.device.empty()) object["device"] = request.device;
  return object;
}

const json& read_member(const json& object, const char* key) {
  require(object.is_object(), named(key, "has no object around it"));
  const auto found = object.find(key);
  require(found != object.end(), named(key, "is missing"));
  return *found;
}

const json& read_object(const json& object, const char* key) {
  const json& value = read_member(object, key);
  require(value.is_object(), named(key, "is not an object"));
  return value;
}

const json& read_array(const json& object, const char* key, std::size_t max_items) {
  const json& value = read_member(object, key);
  require(value.is_array(), named(key, "is not a list"));
  require(value.size() <= max_items, named(key, "is too long"));
  return value;
}

std::string read_text(const json& object, const char* key) {
  return text_from(read_member(object, key), key);
}

bool read_bool(const json& object, const char* key) {
  const json& value = read_member(object, key);
  require(value.is_boolean(), named(key, "is not true or false"));
  return value.get<bool>();
}

std::int64_t read_integer(const json& object, const char* key, std::int64_t min, std::int64_t max) {
  const std::int64_t value = integer_from(read_member(object, key), key);
  require(value >= min && value <= max, std::string("'") + key + "' = " + std::to_string(value) +
                                            " is outside " + std::to_string(min) + " to " +
                                            std::to_string(max));
  return value;
}

double read_number(const json& object, const char* key) { return number_from(read_member(object, key), key); }

std::map<std::string, Value> read_values(const json& object, const char* key) {
  const json& members = read_object(object, key);
  require(members.size() <= kMaxListItems, named(key, "is too long"));
  std::map<std::string, Value> values;
  for (const auto& [name, value] : members.items()) values[name] = value_from(value, key);
  return values;
}

Message read_message(const json& message) {
  Message read{read_text(message, "id"), {}};
  for (const json& arg : read_array(message, "args", 256)) read.args.push_back(text_from(arg, "args"));
  return read;
}

EngineKind read_engine(const json& object, const char* key) {
  const auto kind = engine_named(read_text(object, key));
  require(kind.has_value(), named(key, "is not an engine"));
  return *kind;
}

Request read_request(const json& request) {
  Request read;
  read.lab = read_text(request, "lab");
  read.rung = read_text(request, "rung");
  read.params = read_values(request, "params");
  read.engine = read_engine(request, "engine");
  read.block = read_integer(request, "block", 0, INT64_MAX);
  read.warp = read_integer(request, "warp", 0, INT64_MAX);
  read.timeout_s = read_number(request, "timeout_s");
  read.long_run = read_bool(request, "long_run");
  read.time = read_bool(request, "time");
  if (request.contains("trace")) read.trace = read_bool(request, "trace");
  if (request.contains("device")) read.device = read_text(request, "device");
  return read;
}

std::string dump(const json& value) { return value.dump(-1, ' ', false, kRepair); }

std::string dump(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

json parse_object(std::string_view text) {
  json parsed = json::parse(text, nullptr, false);
  require(parsed.is_object(), "the text is not a JSON object");
  return parsed;
}

}  // namespace lockstep
