#include "exercise_answers.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "exercise_reader.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;
constexpr std::size_t kMaxNameBytes = 200, kMaxWordBytes = 64, kMaxTextBytes = 64 << 10, kMaxAttempts = 500;
constexpr int kMaxDepth = 8;

std::string now_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  char text[32];
  if (!gmtime_r(&now, &parts)) return "";
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

bool is_time(const std::string& text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00Z";
  if (text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == '0' ? !digit : text[i] != kShape[i]) return false;
  }
  return true;
}

// Reads a stranger's JSON: the first thing that is wrong stays, with where it stands.
class AnswersReader {
 public:
  explicit AnswersReader(std::string name) : name_(std::move(name)) {}

  Result<ExerciseAnswers> read(const Json& json) {
    ExerciseAnswers answers;
    if (!json.is_object()) return fault("", "an object");
    if (whole(json, "schema", 0, 1000, "") != kSchema)
      return error_ ? *error_ : bad_input("{0}: schema is not {1}", {name_, std::to_string(kSchema)});
    answers.exercise = text(json, "exercise", kMaxWordBytes, "");
    answers.name = text(json, "name", kMaxNameBytes, "", true);
    answers.version = text(json, "version", kMaxWordBytes, "");
    const auto seed = seed_from_code(text(json, "seed", kMaxWordBytes, "", true));
    if (!error_ && !seed) return fault("seed", "a code as in K7QM-2T9X");
    const Json* parts = member(json, "parts", "");
    if (parts && (!parts->is_array() || parts->size() > kMaxParts))
      return fault("parts", "a list of at most " + std::to_string(kMaxParts));
    for (std::size_t i = 0; !error_ && parts && i < parts->size(); ++i)
      add_part((*parts)[i], "parts[" + std::to_string(i) + "]", answers);
    if (error_) return *error_;
    answers.seed = *seed;
    return answers;
  }

 private:
  Error fault(const std::string& path, const std::string& expected) {
    if (!error_)
      error_ = path.empty() ? bad_input("{0}: expected {1}", {name_, expected})
                            : bad_input("{0}: {1}: expected {2}", {name_, path, expected});
    return *error_;
  }

  static std::string at(const std::string& path, const char* key) {
    return path.empty() ? key : path + "." + key;
  }

  const Json* member(const Json& json, const char* key, const std::string& path, bool optional = false) {
    if (!json.is_object()) {
      fault(path, "an object");
      return nullptr;
    }
    const auto found = json.find(key);
    if (found != json.end()) return &*found;
    if (!optional) fault(at(path, key), "a value");
    return nullptr;
  }

  std::string text(const Json& json, const char* key, std::size_t most, const std::string& path,
                   bool optional = false) {
    const Json* value = member(json, key, path, optional);
    if (!value) return "";
    if (!value->is_string() || value->get_ref<const std::string&>().size() > most) {
      fault(at(path, key), "a text of at most " + std::to_string(most) + " bytes");
      return "";
    }
    return value->get<std::string>();
  }

  std::int64_t whole(const Json& json, const char* key, std::int64_t least, std::int64_t most,
                     const std::string& path, bool optional = false) {
    const Json* value = member(json, key, path, optional);
    if (!value) return least;
    // An unsigned one above the largest signed number reads as negative.
    const std::int64_t number = value->is_number_integer() ? value->get<std::int64_t>() : least - 1;
    if (!value->is_number_integer() || number < least || number > most) {
      fault(at(path, key), "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
      return least;
    }
    return number;
  }

  PartAnswer answer(const Json& json, const std::string& path) {
    return {text(json, "answer", kMaxTextBytes, path, true), text(json, "reason", kMaxTextBytes, path, true)};
  }

  void add_part(const Json& json, const std::string& path, ExerciseAnswers& answers) {
    PartRecord part;
    part.id = text(json, "id", kMaxWordBytes, path);
    part.answer = answer(json, path);
    part.hints = int(whole(json, "hints", 0, std::int64_t(kMaxHints), path, true));
    const Json* locked = member(json, "locked", path, true);
    if (locked && !locked->is_boolean()) fault(at(path, "locked"), "true or false");
    part.locked = locked && locked->is_boolean() && locked->get<bool>();
    const Json* attempts = member(json, "attempts", path, true);
    if (attempts && (!attempts->is_array() || attempts->size() > kMaxAttempts)) {
      fault(at(path, "attempts"), "a list of at most " + std::to_string(kMaxAttempts));
      return;
    }
    for (std::size_t i = 0; !error_ && attempts && i < attempts->size(); ++i)
      add_attempt_of((*attempts)[i], at(path, "attempts") + "[" + std::to_string(i) + "]", part);
    if (answers.find(part.id)) fault(path, "another id: '" + part.id + "' was there");
    answers.parts.push_back(std::move(part));
  }

  void add_attempt_of(const Json& json, const std::string& path, PartRecord& part) {
    Attempt attempt;
    attempt.answer = answer(json, path);
    attempt.time = text(json, "time", kMaxWordBytes, path);
    attempt.verdict = text(json, "verdict", kMaxWordBytes, path, true);
    if (!error_ && !is_time(attempt.time)) fault(at(path, "time"), "a time as in 2026-11-23T05:30:00Z");
    part.attempts.push_back(std::move(attempt));
  }

  const std::string name_;
  std::optional<Error> error_;
};

Json answer_json(const PartAnswer& answer) {
  Json json{{"answer", answer.text}};
  if (!answer.reason.empty()) json["reason"] = answer.reason;
  return json;
}

Json part_json(const PartRecord& part) {
  Json json{{"id", part.id}};
  json.update(answer_json(part.answer));
  if (part.hints > 0) json["hints"] = part.hints;
  if (part.locked) json["locked"] = true;
  json["attempts"] = Json::array();
  for (const Attempt& attempt : part.attempts) {
    json["attempts"].push_back(answer_json(attempt.answer));
    json["attempts"].back().update(Json{{"time", attempt.time}, {"verdict", attempt.verdict}});
  }
  return json;
}

const char* word_of(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::right:
      return "right";
    case Verdict::Kind::wrong:
      return "wrong";
    case Verdict::Kind::not_understood:
      return "not_understood";
    case Verdict::Kind::unanswerable:
      break;
  }
  return "unanswerable";
}

}  // namespace

PartRecord& ExerciseAnswers::part(std::string_view id) {
  for (PartRecord& one : parts)
    if (one.id == id) return one;
  parts.push_back({std::string(id), {}, 0, false, {}});
  return parts.back();
}

const PartRecord* ExerciseAnswers::find(std::string_view id) const {
  const auto at =
      std::find_if(parts.begin(), parts.end(), [&](const PartRecord& one) { return one.id == id; });
  return at == parts.end() ? nullptr : &*at;
}

Result<ExerciseAnswers> read_answers(std::string_view bytes, const std::string& name) {
  if (bytes.size() > kMaxAnswersBytes)
    return bad_input("{0}: a result file has at most {1} bytes", {name, std::to_string(kMaxAnswersBytes)});
  bool too_deep = false;
  const Json json = Json::parse(
      bytes,
      [&](int depth, Json::parse_event_t, Json&) {
        too_deep = too_deep || depth > kMaxDepth;
        return !too_deep;
      },
      false);
  if (too_deep || json.is_discarded()) return bad_input("{0} is no result file: it is not JSON", {name});
  return AnswersReader(name).read(json);
}

Result<ExerciseAnswers> load_answers(const fs::path& file) {
  auto bytes = read_file(file, kMaxAnswersBytes);
  if (!bytes) return bytes.error();
  return read_answers({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, file.string());
}

std::string answers_json(const ExerciseAnswers& answers) {
  Json json{{"schema", kSchema},          {"exercise", answers.exercise},
            {"name", answers.name},       {"seed", seed_code(answers.seed)},
            {"version", answers.version}, {"parts", Json::array()}};
  for (const PartRecord& part : answers.parts) json["parts"].push_back(part_json(part));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status save_answers(const ExerciseAnswers& answers, const fs::path& file) {
  if (Status made = make_output_folder(file.parent_path().empty() ? "." : file.parent_path()); !made)
    return made;
  const std::string text = answers_json(answers);
  return write_file_atomically(file, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

fs::path answers_file(const std::string& slug, Seed seed) {
  const fs::path folder = user_answers_folder();
  if (folder.empty()) return {};
  const std::string code = seed_code(seed);
  return folder / (slug + (code.empty() ? "" : "-" + code) + ".json");
}

Status add_attempt(ExerciseAnswers& answers, const ExercisePart& part, const PartAnswer& answer,
                   const Verdict& verdict) {
  PartRecord& record = answers.part(part.id);
  if (record.locked) return bad_input("the run has started: this prediction stands");
  record.answer = answer;
  if (record.attempts.size() == kMaxAttempts) record.attempts.erase(record.attempts.begin());
  record.attempts.push_back({answer, now_text(), word_of(verdict.kind)});
  answers.version = LOCKSTEP_VERSION;
  return Unit{};
}

void lock_prediction(ExerciseAnswers& answers, const ExercisePart& part) {
  if (part.kind == PartKind::predict) answers.part(part.id).locked = true;
}

}  // namespace lockstep
