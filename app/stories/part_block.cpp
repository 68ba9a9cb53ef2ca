#include "part_block.hpp"

#include <algorithm>
#include <array>

#include "ask_reader.hpp"
#include "exercise_reader.hpp"

namespace lockstep {
namespace {

constexpr std::array<const char*, 8> kKindNames{"number", "choice",  "several", "order",
                                                "set",    "predict", "program", "text"};
constexpr std::size_t kMaxOptions = 12, kMaxIdBytes = 40;
constexpr std::string_view kKeys =
    "part, number, choice, several, order, set, predict, program, text, task, answer, unit, tolerance, "
    "tempting, hint, show, reason, formula, measured, hides, also or an option";

std::optional<PartKind> kind_named(std::string_view word) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i)
    if (kKindNames[i] == word) return PartKind(i);
  return {};
}

// Of the Ask that carries the question.
Ask::Kind ask_kind(PartKind kind) {
  if (kind == PartKind::set) return Ask::Kind::set;
  const bool options = kind == PartKind::choice || kind == PartKind::several || kind == PartKind::order;
  return options ? Ask::Kind::choice : Ask::Kind::number;
}

bool is_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxIdBytes && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

class PartReader {
 public:
  PartReader(const SourceText& source, const MarkdownBlock& block, ExercisePart& part)
      : source_(source), offset_(block.offset), ask_(source, block), part_(part) {}

  Status add(const Field& field) {
    const std::string& key = field.key;
    if (const auto kind = kind_named(key)) {
      part_.kind = *kind;
      asked_ = true;
      return ask_.question(field, ask_kind(*kind));
    }
    if (key == "part") return id(field);
    if (key == "task") return word(field, part_.program);
    if (key == "show") return word(field, part_.shows);
    if (key == "hint") return hint(field);
    if (key == "reason") return ask_.inline_text(field.begin, field.end, part_.reason);
    if (key == "formula") return expression(field, part_.formula);
    if (key == "measured") return expression(field, part_.measured);
    if (key == "-" || key == "+" || key == "?") return option(field);
    for (const char* known : {"answer", "unit", "tolerance", "tempting", "hides", "also"})
      if (key == known) return ask_.add(field);
    return source_.error(field.key_begin, {"expected {0}, not '{1}'", {std::string(kKeys), key}});
  }

  Status finish() {
    part_.ask = ask_.take();
    const auto lacks = [&](const char* sentence) { return Status(source_.error(offset_, {sentence, {}})); };
    if (part_.id.empty())
      return lacks(N_("expected 'part: ' and a word that names this part in result files"));
    if (!asked_)
      return lacks(
          N_("expected number, choice, several, order, set, predict, program or text, and the question"));
    const Ask& ask = part_.ask;
    const bool options = ask.kind == Ask::Kind::choice;
    const bool number = part_.kind == PartKind::number || part_.kind == PartKind::predict;
    const bool answered = number || part_.kind == PartKind::set;
    if (answered && !ask.answer) return lacks(N_("expected 'answer: ' and an expression"));
    if (!answered && ask.answer) return lacks(N_("only number, predict and set have an 'answer: '"));
    if (!options && !ask.options.empty()) return lacks(N_("only choice, several and order have options"));
    if (options && ask.options.size() < 2)
      return lacks(N_("expected two options at least, '- ', '+ ' or '? ' each"));
    if (!number && (ask.tolerance || !ask.unit.empty() || !ask.also.empty()))
      return lacks(N_("only number and predict have a unit, a tolerance and an 'also: '"));
    if ((part_.kind == PartKind::program) == part_.program.empty())
      return lacks(N_("a 'program: ' has a 'task: ', and nothing else has"));
    if (!part_.reason.empty() && part_.kind != PartKind::several)
      return lacks(N_("only 'several: ' asks for a reason"));
    return check_options(lacks);
  }

 private:
  template <class Lacks>
  Status check_options(const Lacks& lacks) {
    const bool computed = std::any_of(part_.option_right.begin(), part_.option_right.end(),
                                      [](const auto& right) { return right.has_value(); });
    const auto right = std::count_if(part_.ask.options.begin(), part_.ask.options.end(),
                                     [](const Option& option) { return option.right; });
    if (part_.kind == PartKind::order && (computed || right < 2))
      return lacks(
          N_("the steps of an 'order: ' are marked + in their order, two at least, and the others -"));
    if (part_.kind == PartKind::choice && !computed && right != 1)
      return lacks(N_("expected one option marked + and the others -"));
    return Unit{};
  }

  Status id(const Field& field) {
    part_.id = field.value(source_);
    if (is_id(part_.id)) return Unit{};
    return source_.error(field.begin,
                         {"'{0}' is no name of a part: small letters, digits, - and _ are, up to {1}",
                          {part_.id, std::to_string(kMaxIdBytes)}});
  }

  Status word(const Field& field, std::string& to) {
    to = field.value(source_);
    return Unit{};
  }

  Status hint(const Field& field) {
    if (part_.hints.size() == kMaxHints)
      return source_.error(field.key_begin, {"at most {0} hints", {std::to_string(kMaxHints)}});
    part_.hints.emplace_back();
    return ask_.inline_text(field.begin, field.end, part_.hints.back());
  }

  Status expression(const Field& field, std::optional<Expression>& to) {
    auto read = ask_.expression(field.begin, field.end);
    if (!read) return read.error();
    to = std::move(*read);
    return Unit{};
  }

  // "text", "text || why"; behind "? " first "expression | ".
  Status option(Field field) {
    if (part_.option_right.size() == kMaxOptions)
      return source_.error(field.key_begin, {"at most {0} options", {std::to_string(kMaxOptions)}});
    std::optional<Expression> right;
    if (field.key == "?") {
      const std::size_t bar = source_.slice(field.begin, field.end).find(" | ");
      if (bar == std::string_view::npos)
        return source_.error(
            field.begin,
            {"expected an expression that is true where this is right, ' | ' and the option", {}});
      auto read = ask_.expression(field.begin, field.begin + bar);
      if (!read) return read.error();
      right = std::move(*read);
      field.begin += bar + 3;
    }
    InlineText why;
    const std::size_t bars = source_.slice(field.begin, field.end).rfind(" || ");
    if (bars != std::string_view::npos) {
      if (Status read = ask_.inline_text(field.begin + bars + 4, field.end, why); !read) return read;
      field.end = field.begin + bars;
    }
    part_.option_right.push_back(std::move(right));
    part_.option_why.push_back(std::move(why));
    return ask_.option(field);
  }

  const SourceText& source_;
  const std::size_t offset_;
  AskReader ask_;
  ExercisePart& part_;
  bool asked_ = false;
};

}  // namespace

const char* name_of(PartKind kind) { return kKindNames[std::size_t(kind)]; }

Status read_part_block(const SourceText& source, const MarkdownBlock& block, ExercisePart& part) {
  auto fields = read_fields(source, block.begin, block.end);
  if (!fields) return fields.error();
  PartReader reader(source, block, part);
  for (const Field& field : *fields)
    if (Status added = reader.add(field); !added) return added;
  return reader.finish();
}

}  // namespace lockstep
