#include "array_shapes.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

#include "app/model/formula.hpp"
#include "source/code.hpp"

namespace lockstep::reader {
namespace {

constexpr std::size_t kMostDimensions = 4;
using Shape = std::vector<std::uint64_t>;

std::uint64_t elements_of(const ProgramArray& array) {
  return array.bytes / std::max(1u, array.element_bytes);
}

bool is_name(std::string_view text) {
  return !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_') &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

// What a name stands for: a number, or a text to work out.
class Names {
 public:
  explicit Names(const ProgramRun& run) {
    for (const auto& [file, text] : run.sources) read(text);
  }
  // The launch's arguments, by the kernel's names for them and by the caller's, come first.
  void take(const ProgramLaunch& launch) {
    values_.clear();
    for (const ProgramArgument& a : launch.arguments) {
      if (a.value.empty()) continue;
      char* end = nullptr;
      const std::int64_t value = std::strtoll(a.value.c_str(), &end, 10);
      if (*end) continue;
      if (!a.parameter.empty()) values_[a.parameter] = value;
      if (is_name(a.text)) values_[a.text] = value;
    }
  }
  // `missing` becomes the name that nothing is known of, or the text that cannot be read.
  std::optional<std::int64_t> work_out(const std::string& text, std::string& missing, int depth = 0) const {
    std::vector<std::string> names;
    std::vector<std::int64_t> values;
    const CodeText parts = read_code(text);
    for (int i = 0; i < parts.code.size(); ++i) {
      if (!parts.code.is_word(i)) continue;
      const std::string name(parts.code[i].text);
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      const auto value = value_of(name, missing, depth);
      if (!value) return {};
      names.push_back(name), values.push_back(*value);
    }
    const std::vector<std::string_view> seen(names.begin(), names.end());
    missing = text;
    const auto formula = Formula::parse(text, seen);
    if (!formula) return {};
    const auto value = formula->evaluate(values);
    return value ? std::optional(*value) : std::nullopt;
  }

 private:
  std::optional<std::int64_t> value_of(const std::string& name, std::string& missing, int depth) const {
    if (const auto known = values_.find(name); known != values_.end()) return known->second;
    missing = name;
    const auto written = texts_.find(name);
    constexpr int kDeepest = 8;  // of constants that are made of constants
    if (written == texts_.end() || written->second.empty() || depth >= kDeepest) return {};
    return work_out(written->second, missing, depth + 1);
  }
  // `name = text;` and `#define name text`; a name that is given several values has none.
  void read(const std::string& source) {
    const CodeText text = read_code(source);
    for (const Code& macro : text.macros)
      if (macro.size() > 0) put(std::string(macro.macro_name()), macro.text({0, macro.size() - 1}));
    const Code& code = text.code;
    for (int i = 0; i + 2 < code.size(); ++i) {
      if (!code.is_word(i) || !code.is(i + 1, "=") || code.is(i + 2, "=")) continue;
      int last = i + 2;
      while (last < code.size() && !code.is(last, ";") && !code.is(last, ",") && !code.is(last, ")"))
        last = code.past_group(last) + 1;
      if (last > i + 2) put(std::string(code[i].text), code.text({i + 2, last - 1}));
    }
  }
  void put(const std::string& name, const std::string& text) {
    const auto [known, fresh] = texts_.try_emplace(name, text);
    if (!fresh && known->second != text) known->second.clear();
  }

  std::map<std::string, std::int64_t> values_;
  std::map<std::string, std::string> texts_;
};

std::string spelled(const ShapeHint& hint) {
  std::string text = hint.name;
  for (const std::string& extent : hint.extents) text += "[" + extent + "]";
  return text;
}

class Hints {
 public:
  explicit Hints(ProgramRun& run) : run_(run), names_(run) {}
  void apply() {
    for (const ShapeHint& hint : run_.tables.hints) apply(hint);
  }

 private:
  void apply(const ShapeHint& hint) {
    bool used = false;
    for (const ProgramLaunch& launch : run_.launches) {
      names_.take(launch);
      for (const ProgramArgument& a : launch.arguments)
        if (a.array >= 0 && (a.parameter == hint.name || run_.arrays[std::size_t(a.array)].name == hint.name))
          used = true, give(hint, run_.arrays[std::size_t(a.array)]);
    }
    for (ProgramArray& array : run_.arrays)
      if (array.name == hint.name && !array.shape_given && !wrong_.contains(&hint))
        used = true, give(hint, array);
    if (!used)
      warn(hint, {N_("{0}: no array and no kernel's parameter is called {1}"), {spelled(hint), hint.name}});
  }
  void give(const ShapeHint& hint, ProgramArray& array) {
    if (array.shape_given || wrong_.contains(&hint)) return;
    if (hint.extents.size() > kMostDimensions)
      return warn(hint, {N_("{0}: an array is shown with at most {1} extents"),
                         {spelled(hint), std::to_string(kMostDimensions)}});
    const std::uint64_t n = elements_of(array);
    Shape shape;
    std::uint64_t product = 1;
    for (const std::string& extent : hint.extents) {
      std::string missing;
      const auto value = names_.work_out(extent, missing);
      if (!value)
        return warn(hint, {N_("{0}: {1} is no argument of the launch and no constant of the program"),
                           {spelled(hint), missing}});
      if (*value < 1 || std::uint64_t(*value) > std::max<std::uint64_t>(1, n / product))
        return warn(hint, {N_("{0}: with {1} = {2} this is not the shape of {3}, which has {4} elements"),
                           {spelled(hint), extent, std::to_string(*value), array.name, std::to_string(n)}});
      shape.push_back(std::uint64_t(*value)), product *= std::uint64_t(*value);
    }
    if (product != n)
      return warn(hint, {N_("{0} is {1} elements, and {2} has {3}"),
                         {spelled(hint), std::to_string(product), array.name, std::to_string(n)}});
    array.shape = shape, array.shape_given = true;
  }
  void warn(const ShapeHint& hint, Message message) {
    if (!wrong_.insert(&hint).second) return;
    Diagnostic one;
    one.file = hint.file, one.line = hint.line, one.column = 1, one.severity = Severity::warning;
    one.message = std::move(message);
    run_.diagnostics.push_back(std::move(one));
  }

  ProgramRun& run_;
  Names names_;
  std::set<const ShapeHint*> wrong_;
};

// The first event of a thread on the view, at `line` where one is given.
const Access* first_event(const BlockTrace& trace, std::size_t thread, std::uint16_t view, int line = -1) {
  if (thread + 1 >= trace.begin.size()) return nullptr;
  for (std::uint64_t e = trace.begin[thread]; e < trace.begin[thread + 1]; ++e) {
    const Access& a = trace.events[e];
    if (a.view == view && moves_data(a.kind) && (line < 0 || a.line == line)) return &a;
  }
  return nullptr;
}

// Elements from where one thread of the followed block goes to where its neighbour does, in x or y: the
// longer way is a row.
std::uint64_t row_of(const ProgramLaunch& launch, const ProgramArray& array) {
  const BlockTrace& trace = launch.launch.trace;
  const Access* first = first_event(trace, 0, array.view);
  if (!first) return 0;
  std::uint64_t row = 0;
  for (const std::size_t neighbour : {std::size_t(1), std::size_t(launch.launch.block[0])}) {
    const bool in_y = neighbour > 1;
    if (in_y && launch.launch.block[1] < 2) continue;
    const Access* other = first_event(trace, neighbour, array.view, first->line);
    if (!other) continue;
    const auto way = std::uint64_t(std::llabs(std::int64_t(other->offset) - std::int64_t(first->offset)));
    if (way % array.element_bytes == 0) row = std::max(row, way / array.element_bytes);
  }
  return row;
}

bool counts_columns(const std::string& name) {
  for (const char* begin : {"w", "c", "W", "C", "nx", "NX", "n_c", "num_c", "numC"})
    if (name.starts_with(begin)) return true;
  return false;
}

// Two of the launch's whole numbers, or one twice, whose product is the number of elements.
Shape shape_by_arguments(const ProgramLaunch& launch, std::uint64_t n) {
  struct Number {
    std::string name;
    std::uint64_t value;
  };
  std::vector<Number> numbers;
  for (const ProgramArgument& a : launch.arguments)
    if (!a.value.empty() && a.value.find_first_not_of("0123456789") == a.value.npos && a.value.size() < 10)
      numbers.push_back({a.parameter, std::stoull(a.value)});
  for (const Number& one : numbers)
    if (one.value > 1 && one.value * one.value == n) return {one.value, one.value};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    for (std::size_t j = i + 1; j < numbers.size(); ++j)
      if (numbers[i].value > 1 && numbers[j].value > 1 && numbers[i].value * numbers[j].value == n)
        return counts_columns(numbers[i].name) ? Shape{numbers[j].value, numbers[i].value}
                                               : Shape{numbers[i].value, numbers[j].value};
  return {};
}

Shape guessed_shape(const ProgramRun& run, const ProgramArray& array) {
  const std::uint64_t n = elements_of(array);
  const int index = int(&array - run.arrays.data());
  for (const ProgramLaunch& launch : run.launches) {
    const auto given = std::any_of(launch.arguments.begin(), launch.arguments.end(),
                                   [&](const ProgramArgument& a) { return a.array == index; });
    if (!given || !launch.traced()) continue;
    const std::uint64_t row = row_of(launch, array);
    const bool in_rows = row > 1 && n % row == 0 && n / row > 1;
    if (in_rows && launch.launch.block[1] > 1) return {n / row, row};  // two ways to go: both are seen
    if (const Shape shape = shape_by_arguments(launch, n); !shape.empty()) return shape;
    if (in_rows) return {n / row, row};
  }
  return {n};
}

}  // namespace

void find_shapes(ProgramRun& run) {
  for (ProgramArray& array : run.arrays)
    if (array.shape.empty()) array.shape = guessed_shape(run, array);
  Hints(run).apply();
  for (std::size_t l = 0; l < run.launches.size(); ++l)
    for (ViewInfo& view : run.launches[l].launch.views)
      for (const ProgramArray& array : run.arrays)
        if (view.space == Space::global && view.id == array.view && array.alive_at(int(l)) &&
            elements_of(array) == view.elements())
          view.shape = array.shape, view.name = array.name;
}

}  // namespace lockstep::reader
