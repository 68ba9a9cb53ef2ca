#include "ask_reader.hpp"

#include <algorithm>
#include <cmath>

#include "app/model/portable.hpp"
#include "model_functions.hpp"

namespace lockstep {

AskReader::AskReader(const SourceText& source, const MarkdownBlock& block)
    : source_(source), offset_(block.offset) {
  ask_.place = source.place(block.offset);
}

Status AskReader::add(const Field& field) {
  const std::string& key = field.key;
  if (key == "number") return question(field, Ask::Kind::number);
  if (key == "choice") return question(field, Ask::Kind::choice);
  if (key == "set") return question(field, Ask::Kind::set);
  if (key == "answer") return answer(field);
  if (key == "unit") {
    ask_.unit = field.value(source_);
    return Unit{};
  }
  if (key == "tolerance") return tolerance(field);
  if (key == "hint") return inline_text(field.begin, field.end, ask_.hint);
  if (key == "tempting") return tempting(field);
  if (key == "hides") return hides(field);
  if (key == "also") return also(field);
  if (key == "-" || key == "+") return option(field);
  return source_.error(
      field.key_begin,
      {"expected number, choice, set, answer, unit, tolerance, tempting, hint, hides, also or an option, "
       "not '{0}'",
       {key}});
}

Result<Ask> AskReader::finish() {
  const auto lacks = [&](const char* sentence) { return source_.error(offset_, {sentence, {}}); };
  if (!asked_) return lacks(N_("expected 'number: ', 'choice: ' or 'set: ' and the question"));
  const bool choice = ask_.kind == Ask::Kind::choice;
  if (!choice && !ask_.answer) return lacks(N_("expected 'answer: ' and an expression"));
  if (choice && ask_.answer) return lacks(N_("expected no 'answer: ': the option marked + is right"));
  if (!choice && !ask_.options.empty()) return lacks(N_("only a 'choice: ' has options"));
  if (choice && ask_.options.size() < 2) return lacks(N_("expected two options at least, '- ' or '+ ' each"));
  const auto right = std::count_if(ask_.options.begin(), ask_.options.end(),
                                   [](const Option& option) { return option.right; });
  if (choice && right != 1) return lacks(N_("expected one option marked + and the others -"));
  if (ask_.kind != Ask::Kind::number && (ask_.tolerance || !ask_.unit.empty()))
    return lacks(N_("only a 'number: ' has a unit and a tolerance"));
  if (ask_.kind != Ask::Kind::number && !ask_.also.empty())
    return lacks(N_("only a 'number: ' has an 'also: '"));
  return std::move(ask_);
}

Status AskReader::inline_text(std::size_t begin, std::size_t end, InlineText& to) {
  auto text = read_inline(source_, begin, end, model_functions());
  if (!text) return text.error();
  to = std::move(*text);
  return Unit{};
}

Result<Expression> AskReader::expression(std::size_t begin, std::size_t end) {
  source_.trim(begin, end);
  auto read = Expression::parse(source_.slice(begin, end), model_functions(), source_.place(begin));
  if (!read) return source_.in_file(read.error());
  return read;
}

Status AskReader::question(const Field& field, Ask::Kind kind) {
  if (std::exchange(asked_, true)) return source_.error(field.key_begin, {"a block asks one question", {}});
  ask_.kind = kind;
  return inline_text(field.begin, field.end, ask_.question);
}

Status AskReader::answer(const Field& field) {
  if (ask_.answer) return source_.error(field.key_begin, {"a question has one answer", {}});
  auto read = expression(field.begin, field.end);
  if (!read) return read.error();
  ask_.answer = std::move(*read);
  return Unit{};
}

// "10 %", "0.5".
Status AskReader::tolerance(const Field& field) {
  std::size_t begin = field.begin, end = field.end;
  Tolerance tolerance;
  if (source_.text[end - 1] == '%') tolerance.percent = true, source_.trim(begin, --end);
  const auto size = number_in(source_.slice(begin, end));
  if (!size || !std::isfinite(*size) || *size < 0)
    return source_.error(field.begin, {"expected a number from 0 on, or percent as in '10 %'", {}});
  tolerance.size = *size;
  ask_.tolerance = tolerance;
  return Unit{};
}

// "4 | why it tempts".
Status AskReader::tempting(const Field& field) {
  const std::size_t bar = source_.slice(field.begin, field.end).find(" | ");
  if (bar == std::string_view::npos)
    return source_.error(field.begin, {"expected the answer, ' | ' and what makes it tempting", {}});
  auto read = expression(field.begin, field.begin + bar);
  if (!read) return read.error();
  Tempting one{std::move(*read), {}};
  if (Status why = inline_text(field.begin + bar + 3, field.end, one.why); !why) return why;
  ask_.tempting.push_back(std::move(one));
  return Unit{};
}

// "ladder, costs".
Status AskReader::hides(const Field& field) {
  ask_.hides_place = source_.place(field.begin);
  for (std::size_t begin = field.begin; begin < field.end;) {
    std::size_t from = begin, to = std::min(field.end, source_.text.find(',', begin));
    begin = to + 1;
    source_.trim(from, to);
    if (from == to) return source_.error(from, {"expected the name of what is hidden", {}});
    ask_.hides.emplace_back(source_.slice(from, to));
  }
  return Unit{};
}

// "step.sectors * 32 | bytes"; without a unit as the answer's.
Status AskReader::also(const Field& field) {
  const std::size_t bar = source_.slice(field.begin, field.end).find(" | ");
  const bool has_unit = bar != std::string_view::npos;
  auto read = expression(field.begin, has_unit ? field.begin + bar : field.end);
  if (!read) return read.error();
  std::size_t from = has_unit ? field.begin + bar + 3 : field.end, to = field.end;
  source_.trim(from, to);
  ask_.also.push_back({std::move(*read), std::string(source_.slice(from, to))});
  return Unit{};
}

Status AskReader::option(const Field& field) {
  Option one;
  one.right = field.key == "+";
  if (Status text = inline_text(field.begin, field.end, one.text); !text) return text;
  ask_.options.push_back(std::move(one));
  return Unit{};
}

Result<Ask> read_ask(const SourceText& source, const MarkdownBlock& block) {
  auto fields = read_fields(source, block.begin, block.end);
  if (!fields) return fields.error();
  AskReader reader(source, block);
  for (const Field& field : *fields)
    if (Status added = reader.add(field); !added) return added.error();
  return reader.finish();
}

}  // namespace lockstep
