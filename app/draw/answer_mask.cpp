#include "answer_mask.hpp"

#include <algorithm>
#include <cmath>

#include "app/model/expression.hpp"
#include "app/model/portable.hpp"

namespace lockstep {
namespace {

constexpr std::size_t kReach = 40;  // bytes between a number and the word that it counts

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return out;
}

struct Number {
  std::size_t begin = 0, end = 0;
  double value = 0;
};

// "65,536", "0.45"; what is part of a name is none: L2, H200, bf16.
std::vector<Number> numbers_in(std::string_view text) {
  std::vector<Number> all;
  const auto digit_at = [&](std::size_t i) { return i < text.size() && is_digit(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i]) || (i > 0 && is_letter(text[i - 1]))) {
      const bool in_name = i > 0 && is_letter(text[i - 1]) && is_digit(text[i]);
      ++i;
      if (in_name)
        while (i < text.size() && (is_digit(text[i]) || is_letter(text[i]))) ++i;
      continue;
    }
    Number number{i, i, 0};
    std::string digits;
    bool point = false;
    for (; i < text.size(); ++i) {
      const bool group = text[i] == ',' && digit_at(i + 1) && digit_at(i + 2) && digit_at(i + 3) &&
                         !digit_at(i + 4) && !point;
      const bool decimals = text[i] == '.' && digit_at(i + 1) && !point;
      if (group) continue;
      if (!is_digit(text[i]) && !decimals) break;
      point = point || decimals, digits += text[i];
    }
    number.end = i;
    if (const auto value = number_in(digits)) number.value = *value, all.push_back(number);
  }
  return all;
}

// The unit right behind a number: "ms", "µs", "%".
std::string unit_behind(std::string_view text, std::size_t end) {
  if (end < text.size() && text[end] == ' ') ++end;
  const std::size_t from = end;
  while (end < text.size() && (is_letter(text[end]) || text[end] == '%' || text[end] == '/' ||
                               (static_cast<unsigned char>(text[end]) & 0x80)))
    ++end;
  return std::string(text.substr(from, end - from));
}

// " sectors", "个扇区" right behind a number: the bytes up to the word's end, 0 where another word stands.
std::size_t word_behind(std::string_view text, std::size_t end, const HiddenAnswer& answer) {
  std::size_t from = end;
  for (const std::string_view between : {" ", "个", " "})
    if (text.substr(from).starts_with(between)) from += between.size();
  for (const std::string& word : answer.words)
    if (!word.empty() && lower(text.substr(from, word.size())) == lower(word))
      return from + word.size() - end;
  return 0;
}

// "warp 4", "line 12", "第 4 行": which one, not how many.
bool is_name_of_one(std::string_view text, std::size_t begin) {
  constexpr std::string_view kOnes[] = {"warp",   "lane", "line",   "block",  "row",  "column",
                                        "thread", "step", "tile",   "launch", "bank", "stage",
                                        "线程束", "通道", "线程块", "存储体", "第"};
  std::string_view front = text.substr(0, begin);
  if (front.ends_with(' ')) front.remove_suffix(1);
  return std::any_of(std::begin(kOnes), std::end(kOnes), [&](std::string_view one) {
    if (front.size() < one.size() || lower(front.substr(front.size() - one.size())) != one) return false;
    return front.size() == one.size() || !is_letter(one[0]) ||
           !is_letter(front[front.size() - one.size() - 1]);
  });
}

bool near(double value, const HiddenAnswer& answer) {
  return std::abs(value - answer.value) <= answer.allowed + 1e-9 * std::abs(answer.value);
}

bool has_word(std::string_view text, const std::string& word) {
  const std::string all = lower(text), wanted = lower(word);
  for (std::size_t at = all.find(wanted); at != all.npos; at = all.find(wanted, at + 1))
    if (at == 0 || !is_letter(all[at - 1]) || !is_letter(wanted.front())) return true;
  return false;
}

// "32 sectors", "32 of the sectors", with no other number between the two; "sectors touched: 32",
// "wavefront 1 of 2" in one sentence.
bool counts_it(std::string_view text, const std::vector<Number>& numbers, std::size_t i,
               const HiddenAnswer& answer) {
  const std::size_t next = i + 1 < numbers.size() ? numbers[i + 1].begin : text.size();
  std::string_view behind = text.substr(numbers[i].end, std::min(next - numbers[i].end, kReach));
  std::string_view front = text.substr(0, numbers[i].begin);
  behind = behind.substr(0, behind.find_first_of(".;"));
  for (const std::string_view stop : {". ", ";", "。", "；"})
    if (const std::size_t at = front.rfind(stop); at != front.npos) front.remove_prefix(at);
  if (i > 0)  // a word that stands with the number before is that number's
    if (const std::size_t taken = word_behind(text, numbers[i - 1].end, answer)) {
      const std::size_t until = numbers[i - 1].end + taken, begins = std::size_t(front.data() - text.data());
      if (until > begins) front = text.substr(until, numbers[i].begin - until);
    }
  if (front.size() > kReach) front.remove_prefix(front.size() - kReach);
  return names_what_is_asked(behind, answer) || names_what_is_asked(front, answer);
}

bool gives_away(std::string_view text, const std::vector<Number>& numbers, std::size_t i,
                const HiddenAnswer& answer, MaskedNumbers which) {
  const bool counts = word_behind(text, numbers[i].end, answer) > 0;
  if (which == MaskedNumbers::worded) return near(numbers[i].value, answer) && counts;
  if (!counts && is_name_of_one(text, numbers[i].begin)) return false;
  const std::string behind = unit_behind(text, numbers[i].end);
  if (behind == "%" && answer.unit != "%") return false;
  const UnitOfMeasure *said = unit_named(behind), *asked = unit_named(answer.unit);
  if (asked && said && said->base == asked->base)
    return near(numbers[i].value * said->scale / asked->scale, answer);
  if (said) return false;  // another kind of thing
  if (!near(numbers[i].value, answer)) return false;
  return which == MaskedNumbers::bare || answer.distinctive || counts_it(text, numbers, i, answer);
}

}  // namespace

bool names_what_is_asked(std::string_view text, const HiddenAnswer& answer) {
  return std::any_of(answer.words.begin(), answer.words.end(),
                     [&](const std::string& word) { return has_word(text, word); });
}

namespace {

// "?" is no singular: "? wavefronts", where one wavefront was counted. Returns what of the text that
// replaces.
std::size_t append_unknown(std::string_view text, std::size_t end, const HiddenAnswer& answer,
                           std::string& to) {
  to += '?';
  const std::size_t word = word_behind(text, end, answer);
  const char next = end + word < text.size() ? text[end + word] : ' ';
  if (word == 0 || !is_letter(text[end + word - 1]) || is_letter(next)) return 0;
  to += std::string(text.substr(end, word)) + 's';
  return word;
}

std::string mask_one(std::string_view text, const HiddenAnswer& answer, MaskedNumbers which) {
  const auto numbers = numbers_in(text);
  const bool sum = text.find(" = ") != text.npos || text.find(" + ") != text.npos;
  for (std::size_t i = 0; sum && i < numbers.size(); ++i)  // "32 = 1 + 31"
    if (which != MaskedNumbers::worded && gives_away(text, numbers, i, answer, which))
      which = MaskedNumbers::all;
  std::string masked;
  std::size_t from = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (which != MaskedNumbers::all && !gives_away(text, numbers, i, answer, which)) continue;
    masked += text.substr(from, numbers[i].begin - from);
    from = numbers[i].end + append_unknown(text, numbers[i].end, answer, masked);
  }
  return masked + std::string(text.substr(from));
}

}  // namespace

std::string mask_answer(std::string_view text, const HiddenAnswer& answer, MaskedNumbers which) {
  std::string masked = mask_one(text, answer, which);
  for (const HiddenAnswer& one : answer.also) masked = mask_one(masked, one, which);
  return masked;
}

}  // namespace lockstep
