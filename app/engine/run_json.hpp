// Pieces of a Run as JSON. Two users: the manifest of run files and the worker's protocol. Readers throw
// DamagedFile.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "app/model/run.hpp"

namespace lockstep {

constexpr std::size_t kMaxStringBytes = 65536;
constexpr std::size_t kMaxListItems = 65536;

// JSON has no infinity and no NaN: they become {"float": "inf"}, so that a file gives back the same number.
nlohmann::json json_of(double number);
nlohmann::json json_of(const Value& value);
nlohmann::json json_of(const std::map<std::string, Value>& values);
std::map<std::string, std::string> provenance_words(const Run& run);
nlohmann::json json_of(const Message& message);
nlohmann::json json_of(const Request& request);

// Members of an object, each checked for its type and range.
std::string read_text(const nlohmann::json& object, const char* key);
bool read_bool(const nlohmann::json& object, const char* key);
std::int64_t read_integer(const nlohmann::json& object, const char* key, std::int64_t min, std::int64_t max);
double read_number(const nlohmann::json& object, const char* key);
const nlohmann::json& read_member(const nlohmann::json& object, const char* key);
const nlohmann::json& read_object(const nlohmann::json& object, const char* key);
const nlohmann::json& read_array(const nlohmann::json& object, const char* key, std::size_t max_items);
std::map<std::string, Value> read_values(const nlohmann::json& object, const char* key);
Message read_message(const nlohmann::json& message);
Request read_request(const nlohmann::json& request);
EngineKind read_engine(const nlohmann::json& object, const char* key);

// Text that is not UTF-8 is repaired instead of refused: a driver's string must not cost a run.
std::string dump(const nlohmann::json& value);
std::string dump(const nlohmann::ordered_json& value, int indent);
// Throws DamagedFile where the text is no JSON object.
nlohmann::json parse_object(std::string_view text);

}  // namespace lockstep
