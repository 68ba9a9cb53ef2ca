#include "check_kernel.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace lockstep::reader {
namespace {

namespace fs = std::filesystem;
using Kind = KernelVerdict::Kind;

constexpr double kSeconds = 30;  // every block is traced
constexpr std::size_t kMostMore = 4;

std::string decimal(std::int64_t value) { return std::to_string(value); }
std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

KernelVerdict verdict(Kind kind, Message reason, int line = 0) {
  KernelVerdict made;
  made.kind = kind, made.reason = std::move(reason), made.line = line;
  return made;
}

// --- what the program's own check printed: "out[5] = 3, expected 4"

struct WrongElement {
  std::string array, found, expected;
  std::uint64_t index = 0;
};

std::optional<WrongElement> wrong_element(std::string_view line) {
  const std::size_t open = line.find('['), close = line.find("] = ");
  const std::size_t comma = line.find(", expected ");
  if (open == std::string_view::npos || close == std::string_view::npos || comma == std::string_view::npos ||
      open > close || close > comma)
    return std::nullopt;
  WrongElement element;
  element.array = line.substr(0, open);
  element.found = line.substr(close + 4, comma - close - 4);
  if (element.found.ends_with("nan")) element.found = "NaN";  // with or without a sign
  element.expected = line.substr(comma + 11);
  const std::string_view index = line.substr(open + 1, close - open - 1);
  const auto read = std::from_chars(index.data(), index.data() + index.size(), element.index);
  if (read.ec != std::errc() || read.ptr != index.data() + index.size()) return std::nullopt;
  return element;
}

struct OwnCheck {
  std::vector<WrongElement> wrong;
  std::int64_t wrong_count = -1, elements = 0;  // -1: it said nothing
};

// "3 of 1000 elements are wrong".
bool read_count(std::string_view line, OwnCheck& check) {
  const std::size_t of = line.find(" of ");
  if (of == std::string_view::npos || !line.ends_with(" elements are wrong")) return false;
  std::int64_t wrong = 0, all = 0;
  const char *first = line.data(), *second = line.data() + of + 4, *end = line.data() + line.size();
  if (std::from_chars(first, first + of, wrong).ec != std::errc()) return false;
  if (std::from_chars(second, end, all).ec != std::errc()) return false;
  check.wrong_count = wrong, check.elements = all;
  return true;
}

OwnCheck own_check(std::string_view output) {
  OwnCheck check;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string_view line = output.substr(begin, end - begin);
    if (!read_count(line, check))
      if (auto element = wrong_element(line)) check.wrong.push_back(std::move(*element));
    begin = end + 1;
  }
  return check;
}

// --- who wrote an element

struct Writer {
  std::int64_t block = -1, thread = 0;  // -1: nobody
  int line = 0;
  bool known = false;  // were the array's writers kept?
};

// The host's `out` is `d_out` on the device.
int array_named(const ProgramRun& run, const std::string& name) {
  for (const std::string& wanted : {"d_" + name, name})
    for (std::size_t i = 0; i < run.arrays.size(); ++i)
      if (run.arrays[i].name == wanted) return int(i);
  return -1;
}

Writer writer_of(const ProgramRun& run, const WrongElement& element) {
  Writer writer;
  const int array = array_named(run, element.array);
  if (array < 0) return writer;
  for (const ProgramLaunch& launch : run.launches)
    for (const Touch& touch : launch.touches) {
      if (touch.view != run.arrays[std::size_t(array)].view || element.index >= touch.writer_block.size())
        continue;
      writer.known = true;
      const std::size_t i = std::size_t(element.index);
      if (touch.writer_block[i] == Touch::kNobody) continue;
      writer.block = touch.writer_block[i], writer.thread = touch.writer_thread[i];
      writer.line = touch.writer_line[i];
    }
  return writer;
}

Message words_of(const WrongElement& element, const Writer& writer) {
  const std::string index = std::to_string(element.index);
  if (!writer.known)
    return {N_("{0}[{1}] is {2} and should be {3}"), {element.array, index, element.found, element.expected}};
  if (writer.block < 0)
    return {N_("no thread wrote {0}[{1}], which should be {2}"), {element.array, index, element.expected}};
  return {N_("{0}[{1}] is {2} and should be {3}: thread {4} of block {5} wrote it, at line {6}"),
          {element.array, index, element.found, element.expected, decimal(writer.thread),
           decimal(writer.block), decimal(writer.line)}};
}

KernelVerdict wrong_elements(const ProgramRun& run, const OwnCheck& check) {
  KernelVerdict made = verdict(Kind::wrong, {});
  const Message count{N_("{0} of {1} elements are wrong"),
                      {grouped(check.wrong_count), grouped(check.elements)}};
  for (const WrongElement& element : check.wrong) {
    const Writer writer = writer_of(run, element);
    if (made.reason.id.empty())
      made.reason = words_of(element, writer), made.line = writer.line;
    else
      made.more.push_back(words_of(element, writer));
  }
  if (made.reason.id.empty())
    made.reason = count;
  else
    made.more.push_back(count);
  return made;
}

// --- findings

// Where one mistake shows in several ways: what lies outside of its array first, and what nobody has written
// yet behind the race that is the reason.
int rank(const ProgramFinding& finding) {
  constexpr std::string_view order[] = {"launch",       "out_of_bounds",   "null_pointer",
                                        "host_pointer", "illegal_address", "divergent_barrier",
                                        "race"};
  return int(std::find(std::begin(order), std::end(order), finding.kind) - std::begin(order));
}

KernelVerdict found_something(const ProgramRun& run) {
  const ProgramFinding& first =
      *std::min_element(run.findings.begin(), run.findings.end(),
                        [](const ProgramFinding& a, const ProgramFinding& b) { return rank(a) < rank(b); });
  KernelVerdict made = verdict(Kind::finding, first.message, first.line);
  made.finding = first.kind;
  std::vector<std::string> kinds{first.kind};
  for (const ProgramFinding& one : run.findings) {
    if (made.more.size() == kMostMore || std::find(kinds.begin(), kinds.end(), one.kind) != kinds.end())
      continue;
    kinds.push_back(one.kind);
    made.more.push_back(one.message);
  }
  return made;
}

// --- cost

struct Totals {
  Counts counts;
  std::vector<ProgramLine> lines;  // by line, of all launches
};

Totals totals_of(const ProgramRun& run) {
  Totals all;
  for (const ProgramLaunch& launch : run.launches) {
    for (const CountField& field : kCountFields) all.counts.*field.member += launch.counts.*field.member;
    for (const ProgramLine& line : launch.lines) {
      const auto same = std::find_if(all.lines.begin(), all.lines.end(), [&](const ProgramLine& known) {
        return known.line == line.line && known.file == line.file;
      });
      if (same == all.lines.end())
        all.lines.push_back(line);
      else
        same->cost += line.cost;
    }
  }
  return all;
}

std::int64_t allowed(std::int64_t most, double slack) {
  return std::int64_t(std::floor(double(most) * (1 + slack) + 1e-6));
}

KernelVerdict too_many_sectors(const Totals& totals, std::int64_t sectors, std::int64_t most) {
  const auto dearest =
      std::max_element(totals.lines.begin(), totals.lines.end(),
                       [](const auto& a, const auto& b) { return a.cost.sectors < b.cost.sectors; });
  const std::vector<std::string> args{grouped(sectors), grouped(most), decimal(dearest->line),
                                      grouped(dearest->cost.sectors), grouped(dearest->cost.sectors_above)};
  // More than one reason: the one that most of the excess comes from.
  return 2 * dearest->cost.sectors_above >= sectors - most
             ? verdict(Kind::costly,
                       {N_("the result is right, but your kernel moves {0} sectors where {1} are enough: "
                           "line {2} "
                           "moves {3}, {4} of them because its lanes stand apart"),
                        args},
                       dearest->line)
             : verdict(
                   Kind::costly,
                   {N_("the result is right, but your kernel moves {0} sectors where {1} are enough: line "
                       "{2} "
                       "moves {3}; its lanes stand side by side, but it moves more than once what could be "
                       "moved once"),
                    args},
                   dearest->line);
}

KernelVerdict too_many_wavefronts(const Totals& totals, std::int64_t wavefronts, std::int64_t most) {
  const auto dearest =
      std::max_element(totals.lines.begin(), totals.lines.end(),
                       [](const auto& a, const auto& b) { return a.cost.wavefronts < b.cost.wavefronts; });
  const std::vector<std::string> args{grouped(wavefronts), grouped(most), decimal(dearest->line),
                                      grouped(dearest->cost.wavefronts),
                                      grouped(dearest->cost.wavefronts_above)};
  return 2 * dearest->cost.wavefronts_above >= wavefronts - most
             ? verdict(Kind::costly,
                       {N_("the result is right, but shared memory takes {0} wavefronts where {1} are "
                           "enough: line "
                           "{2} takes {3}, {4} of them because lanes collide in a bank"),
                        args},
                       dearest->line)
             : verdict(Kind::costly,
                       {N_("the result is right, but shared memory takes {0} wavefronts where {1} are "
                           "enough: line "
                           "{2} takes {3}; no lanes collide there, but fewer reads and writes would do"),
                        args},
                       dearest->line);
}

KernelVerdict weigh(const KernelTask& task, const ProgramRun& run, const OwnCheck& check) {
  const Totals totals = totals_of(run);
  const std::int64_t sectors = global_sectors(totals.counts), wavefronts = shared_wavefronts(totals.counts);
  KernelVerdict made;
  if (task.most_sectors && sectors > allowed(*task.most_sectors, task.slack))
    made = too_many_sectors(totals, sectors, *task.most_sectors);
  else if (task.most_wavefronts && wavefronts > allowed(*task.most_wavefronts, task.slack))
    made = too_many_wavefronts(totals, wavefronts, *task.most_wavefronts);
  else
    made = verdict(Kind::right,
                   {N_("right: all {0} elements, no race, nothing out of bounds; {1} sectors of global "
                       "memory and {2} wavefronts of shared memory"),
                    {grouped(check.elements), grouped(sectors), grouped(wavefronts)}});
  made.sectors = sectors, made.wavefronts = wavefronts;
  return made;
}

KernelVerdict not_compiled(const ProgramRun& run) {
  KernelVerdict made = verdict(Kind::does_not_compile, {N_("the program does not compile"), {}});
  for (const Diagnostic& one : run.diagnostics) {
    if (one.severity != Severity::error) continue;
    if (!made.line) {
      made.line = one.line;
      made.reason = {N_("the program does not compile: line {0}"), {decimal(one.line)}};
    }
    if (made.more.size() < kMostMore) made.more.push_back(one.message);
  }
  return made;
}

// Cost is asked of the first run alone.
KernelTask without_limits(KernelTask task) {
  task.most_sectors.reset(), task.most_wavefronts.reset();
  return task;
}

Message run_with(const std::vector<std::string>& arguments) {
  std::string all;
  for (const std::string& one : arguments) all += (all.empty() ? "" : " ") + one;
  return {N_("it was right before; this is with the arguments {0} of main()"), {all}};
}

}  // namespace

std::int64_t global_sectors(const Counts& counts) {
  return counts.global_load_sectors + counts.global_store_sectors + counts.global_reduction_sectors +
         counts.global_atomic_sectors;
}
std::int64_t shared_wavefronts(const Counts& counts) {
  return counts.shared_load_wavefronts + counts.shared_store_wavefronts + counts.shared_async_wavefronts;
}

KernelVerdict judge_kernel(const KernelTask& task, const ProgramRun& run) {
  if (!run.compiled) return not_compiled(run);
  const OwnCheck check = own_check(run.output);
  // An endless loop has findings, too; that it did not end is what the student sees first.
  if (!run.ended.id.empty() && run.findings.empty()) return verdict(Kind::ended, run.ended);
  if (!run.findings.empty()) return found_something(run);
  if (run.launches.empty()) return verdict(Kind::wrong, {N_("the program launches no kernel"), {}});
  if (check.wrong_count > 0 || !check.wrong.empty()) return wrong_elements(run, check);
  if (run.exit_code != 0 || check.wrong_count < 0)
    return verdict(Kind::ended, {N_("the program ended with exit code {0} before its result was compared"),
                                 {decimal(run.exit_code)}});
  return weigh(task, run, check);
}

Result<KernelVerdict> check_kernel(const KernelTask& task, const std::string& text,
                                   const ProgramReport& report, const fs::path& worker) {
  if (const auto change = change_outside(task.text, text)) {
    if (!change->line)
      return verdict(Kind::outside_changed,
                     {N_("the file has lost a line: your part stands between '{0}' and '{1}'"),
                      {std::string(kPartBegins), std::string(kPartEnds)}});
    if (change->was.empty())
      return verdict(
          Kind::outside_changed,
          {N_("line {0} stands outside your part and does not belong there"), {decimal(change->line)}},
          change->line);
    return verdict(Kind::outside_changed,
                   {N_("line {0} stands outside your part and was changed; it was: {1}"),
                    {decimal(change->line), change->was}},
                   change->line);
  }
  ProgramRequest request;
  // A folder that is not there: a stranger's answer includes no file of whoever checks it.
  request.file = fs::temp_directory_path() / "lockstep-no-folder" / "kernel.cu";
  request.text = text, request.all = true, request.timeout_s = kSeconds, request.worker = worker;
  std::optional<KernelVerdict> first;
  for (const std::vector<std::string>& arguments : task.runs) {
    request.arguments = arguments;
    const auto run = run_program_file(request, report);
    if (!run) return run.error();
    KernelVerdict made = judge_kernel(first ? without_limits(task) : task, *run);
    if (first && made.kind != Kind::right) made.more.push_back(run_with(arguments));
    if (!first || made.kind != Kind::right) first = std::move(made);
    if (first->kind != Kind::right) break;
  }
  return *first;
}

}  // namespace lockstep::reader
