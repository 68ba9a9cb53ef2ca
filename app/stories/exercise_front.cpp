#include "exercise_front.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/labs/lab.hpp"
#include "app/model/portable.hpp"
#include "exercise_reader.hpp"
#include "model_functions.hpp"
#include "scene_reader.hpp"

namespace lockstep {
namespace {

constexpr int kMostDigits = 15;  // of a number that varies: exact as a double

bool is_variable(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// A number as it is written: 0.35 is 35 of its last decimals, of which 100 are one.
struct Decimal {
  std::int64_t digits = 0;
  int decimals = 0;
};

std::optional<Decimal> decimal_in(std::string_view text) {
  Decimal number;
  std::string digits;
  bool behind_point = false;
  for (const char c : text) {
    if (c == '.' && !behind_point && !digits.empty()) {
      behind_point = true;
    } else if ((c >= '0' && c <= '9') || (c == '-' && digits.empty())) {
      digits += c;
      number.decimals += behind_point ? 1 : 0;
    } else {
      return {};
    }
  }
  if (digits.size() > kMostDigits || text.empty() || text.back() == '.') return {};
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number.digits);
  if (error != std::errc{} || stop != digits.data() + digits.size()) return {};
  return number;
}

Decimal with_decimals(Decimal number, int decimals) {
  for (; number.decimals < decimals; ++number.decimals) number.digits *= 10;
  return number;
}

Value value_of(const Decimal& number) {
  if (number.decimals == 0) return number.digits;
  return double(number.digits) / std::pow(10.0, number.decimals);
}

class VaryReader {
 public:
  VaryReader(const SourceText& source, const Field& field, Vary& vary)
      : source_(source), vary_(vary), begin_(field.begin), end_(field.end) {}

  Status read() {
    const std::size_t sign = source_.text.find('=', begin_);
    if (sign >= end_) return source_.error(begin_, {"expected 'name = value, value, ...'", {}});
    std::size_t from = begin_, to = sign;
    source_.trim(from, to);
    vary_.name = source_.slice(from, to);
    if (!is_variable(vary_.name))
      return source_.error(from, {"'{0}' is no name: letters, digits and _ are", {vary_.name}});
    for (std::size_t begin = sign + 1; begin < end_;) {
      std::size_t item = begin, stop = std::min(end_, source_.text.find(',', begin));
      begin = stop + 1;
      source_.trim(item, stop);
      if (Status added = add(item, stop); !added) return added;
    }
    if (vary_.values.empty()) return source_.error(end_, {"expected a value", {}});
    return Unit{};
  }

 private:
  Status add(std::size_t begin, std::size_t end) {
    const bool star = begin < end && source_.text[begin] == '*';
    if (star) source_.trim(++begin, end);
    const std::string_view text = source_.slice(begin, end);
    if (text.empty()) return source_.error(begin, {"expected a value", {}});
    if (text.find("..") != std::string_view::npos)
      return star ? Status(source_.error(begin, {"the star stands in front of one value", {}}))
                  : range(begin, end);
    const auto number = decimal_in(text);
    if (!number && !is_word(text))
      return source_.error(begin, {"expected a number, a word or a range as in 0.2..0.6 by 0.05", {}});
    const Value value = number ? value_of(*number) : Value{std::string(text)};
    const auto at = std::find(vary_.values.begin(), vary_.values.end(), value);
    const auto place = std::size_t(at - vary_.values.begin());
    if (star && std::exchange(has_star_, true))
      return source_.error(begin, {"one value has the star: the one of the default seed", {}});
    if (star) vary_.usual = place;
    if (at != vary_.values.end()) return Unit{};  // a star on a value of the range
    return keep(value, begin);
  }

  static bool is_word(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
             c == '-' || c == ' ';
    });
  }

  // "0.20..0.60 by 0.01"; by 1 where it does not say.
  Status range(std::size_t begin, std::size_t end) {
    const std::string_view text = source_.slice(begin, end);
    const std::size_t dots = text.find(".."), by = text.find(" by ");
    const auto part = [&](std::size_t from, std::size_t to) {
      std::size_t a = begin + from, b = begin + std::min(to, text.size());
      source_.trim(a, b);
      return decimal_in(source_.slice(a, b));
    };
    auto first = part(0, dots), last = part(dots + 2, by);
    auto step = by == std::string_view::npos ? std::optional(Decimal{1, 0}) : part(by + 4, text.size());
    if (!first || !last || !step)
      return source_.error(begin, {"expected a range as in 0.2..0.6 by 0.05", {}});
    const int decimals = std::max({first->decimals, last->decimals, step->decimals});
    for (Decimal* each : {&*first, &*last, &*step}) {
      if (std::abs(double(each->digits)) * std::pow(10.0, decimals - each->decimals) >= 1e15)
        return source_.error(begin, {"this range has too many digits", {}});
      *each = with_decimals(*each, decimals);
    }
    if (step->digits <= 0 || last->digits < first->digits)
      return source_.error(begin, {"a range goes up, in steps above 0", {}});
    if ((last->digits - first->digits) / step->digits >= std::int64_t(kMaxVaryValues))
      return source_.error(begin, {"at most {0} values", {std::to_string(kMaxVaryValues)}});
    for (std::int64_t at = first->digits; at <= last->digits; at += step->digits)
      if (Status kept = keep(value_of({at, decimals}), begin); !kept) return kept;
    return Unit{};
  }

  Status keep(Value value, std::size_t offset) {
    if (vary_.values.size() >= kMaxVaryValues)
      return source_.error(offset, {"at most {0} values", {std::to_string(kMaxVaryValues)}});
    vary_.values.push_back(std::move(value));
    return Unit{};
  }

  const SourceText& source_;
  Vary& vary_;
  const std::size_t begin_, end_;
  bool has_star_ = false;
};

class FrontReader {
 public:
  FrontReader(const SourceText& source, Exercise& exercise) : source_(source), exercise_(exercise) {}

  Status add(const Field& field) {
    const std::string value(field.value(source_));
    if (field.key == "lab") {
      if (!find_lab(value)) return source_.error(field.begin, {"there is no lab '{0}'", {value}});
      exercise_.lab = value;
    } else if (field.key == "title") {
      exercise_.title = value;
    } else if (field.key == "number") {
      exercise_.number = value;
    } else if (field.key == "track") {
      exercise_.track = value;
    } else if (field.key == "minutes") {
      auto minutes = minutes_in(source_, field);
      if (!minutes) return minutes.error();
      exercise_.minutes = *minutes;
    } else if (field.key == "vary") {
      return vary(field);
    } else if (field.key == "let") {
      return let(field);
    } else {
      return source_.error(
          field.key_begin,
          {"expected lab, title, number, track, minutes, vary or let, not '{0}'", {field.key}});
    }
    return Unit{};
  }

 private:
  Status named(const std::string& name, std::size_t offset) {
    for (const char* taken : {"run", "recorded", "step", "device", "params"})
      if (name == taken)
        return source_.error(offset, {"'{0}' has a meaning already: choose another name", {name}});
    const auto same = [&](const auto& other) { return other.name == name; };
    if (std::any_of(exercise_.vary.begin(), exercise_.vary.end(), same) ||
        std::any_of(exercise_.lets.begin(), exercise_.lets.end(), same))
      return source_.error(offset, {"{0} stands here twice", {name}});
    if (exercise_.vary.size() + exercise_.lets.size() >= kMaxVaries)
      return source_.error(offset, {"at most {0} names", {std::to_string(kMaxVaries)}});
    return Unit{};
  }

  Status vary(const Field& field) {
    Vary one;
    if (Status read = VaryReader(source_, field, one).read(); !read) return read;
    if (Status fits = named(one.name, field.begin); !fits) return fits;
    exercise_.vary.push_back(std::move(one));
    return Unit{};
  }

  Status let(const Field& field) {
    const std::size_t sign = source_.text.find('=', field.begin);
    if (sign >= field.end) return source_.error(field.begin, {"expected 'name = expression'", {}});
    std::size_t from = field.begin, to = sign;
    source_.trim(from, to);
    const std::string name(source_.slice(from, to));
    if (!is_variable(name))
      return source_.error(from, {"'{0}' is no name: letters, digits and _ are", {name}});
    if (Status fits = named(name, from); !fits) return fits;
    from = sign + 1, to = field.end;
    source_.trim(from, to);
    auto value = Expression::parse(source_.slice(from, to), model_functions(), source_.place(from));
    if (!value) return source_.in_file(value.error());
    exercise_.lets.push_back({name, std::move(*value)});
    return Unit{};
  }

  const SourceText& source_;
  Exercise& exercise_;
};

}  // namespace

Status read_exercise_front(const SourceText& source, Exercise& exercise, std::size_t& body) {
  auto fields = read_front_matter(source, body);
  if (!fields) return fields.error();
  FrontReader reader(source, exercise);
  for (const Field& field : *fields)
    if (Status added = reader.add(field); !added) return added;
  if (exercise.lab.empty() || exercise.title.empty())
    return source.error(0,
                        exercise.lab.empty() ? msg("'lab: ...' is missing") : msg("'title: ...' is missing"));
  return Unit{};
}

}  // namespace lockstep
