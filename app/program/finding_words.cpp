#include "finding_words.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "app/platform/process.hpp"
#include "finding_kinds.hpp"

namespace lockstep::reader {
namespace {

std::string n(std::int64_t x) { return std::to_string(x); }

Message out_of_bounds(const RawFinding& f, const NamedPlaces& p) {
  if (f.text == "copy")
    return {N_("line {0}: the copy goes past the end of {1}, which has {2} elements"),
            {n(p.line), p.array, n(f.elements)}};
  if (p.array.empty())
    return f.store ? Message{N_("block {0}, thread {1}, line {2}: writes where no array is"),
                             {n(f.block), n(f.thread), n(p.line)}}
                   : Message{N_("block {0}, thread {1}, line {2}: reads where no array is"),
                             {n(f.block), n(f.thread), n(p.line)}};
  const std::vector<std::string> args{n(f.block), n(f.thread),  n(p.line),
                                      p.array,    n(f.element), n(f.elements)};
  return f.store
             ? Message{N_("block {0}, thread {1}, line {2}: writes {3}[{4}], but {3} has {5} elements"), args}
             : Message{N_("block {0}, thread {1}, line {2}: reads {3}[{4}], but {3} has {5} elements"), args};
}

Message race(const RawFinding& f, const NamedPlaces& p) {
  const std::vector<std::string> args{n(f.block),   n(f.thread),      n(p.line),         p.array,
                                      n(f.element), n(f.other_block), n(f.other_thread), n(p.other_line)};
  if (f.other_block != f.block) {
    if (!f.store)
      return {N_("block {0}, thread {1}, line {2}: reads {3}[{4}], which block {5}, thread {6} writes at "
                 "line {7}: "
                 "blocks run in any order"),
              args};
    return f.other_store ? Message{N_("block {0}, thread {1}, line {2}: writes {3}[{4}], which block {5}, "
                                      "thread {6} writes too "
                                      "at line {7}: blocks run in any order"),
                                   args}
                         : Message{N_("block {0}, thread {1}, line {2}: writes {3}[{4}], which block {5}, "
                                      "thread {6} reads at "
                                      "line {7}: blocks run in any order"),
                                   args};
  }
  const bool same_warp = f.thread / 32 == f.other_thread / 32;
  if (same_warp)
    return {N_("block {0}: threads {1} (line {2}) and {6} (line {7}) of one warp both use {3}[{4}], at least "
               "one writes "
               "it, and no __syncwarp() or __syncthreads() stands between: lanes need not run in step"),
            args};
  if (!f.store)
    return {N_("block {0}: thread {1} reads {3}[{4}] at line {2}, thread {6} writes it at line {7}, and no "
               "__syncthreads() stands between"),
            args};
  return f.other_store
             ? Message{N_("block {0}: thread {1} writes {3}[{4}] at line {2}, thread {6} writes it too at "
                          "line "
                          "{7}, and no __syncthreads() stands between"),
                       args}
             : Message{
                   N_("block {0}: thread {1} writes {3}[{4}] at line {2}, thread {6} reads it at line {7}, "
                      "and no __syncthreads() stands between"),
                   args};
}

struct Simple {
  const char *kind, *words;  // {0} block, {1} thread, {2} line, {3} array, {4} element, {5} text, {6} other
                             // thread, {7} other line, {8} bytes
};
constexpr Simple kSimple[] = {
    {"uninitialised", N_("block {0}, thread {1}, line {2}: reads {3}[{4}], which nobody has written")},
    {"misaligned", N_("block {0}, thread {1}, line {2}: an access of {8} bytes to {3} at an address that is "
                      "not a multiple of {8}")},
    {"use_after_free", N_("block {0}, thread {1}, line {2}: uses {3}, which was freed before")},
    {"null_pointer", N_("block {0}, thread {1}, line {2}: uses a null pointer")},
    {"host_pointer",
     N_("block {0}, thread {1}, line {2}: a kernel uses a pointer to the host's memory; copy the data to "
        "memory from cudaMalloc first")},
    {"illegal_address", N_("block {0}, thread {1}, line {2}: the kernel uses an address where nothing is")},
    {"divergent_barrier",
     N_("block {0}: thread {1} waits at the __syncthreads() of line {2}, and thread {6} does not "
        "come there")},
    {"warp_divergence",
     N_("block {0}: thread {1} waits at line {2} for lane {6} of its warp, which its mask names and "
        "which does not come there")},
    {"not_in_mask", N_("block {0}, thread {1}, line {2}: the mask does not name the thread's own lane")},
    {"shuffle_width", N_("line {2}: {5}")},
    {"copy_not_awaited",
     N_("block {0}, thread {1}, line {2}: uses {3} before the asynchronous copy into it was waited for")},
    {"undefined_lane",
     N_("block {0}, thread {1}, line {2}: the shuffle reads a lane that takes no part in it; its value "
        "is undefined")},
    {"assert", N_("block {0}, thread {1}, line {2}: the assertion {5} does not hold")},
    {"trap", N_("block {0}, thread {1}, line {2}: the kernel ends here by a trap")},
    {"stack_overflow",
     N_("block {0}, thread {1}, line {2}: the thread's stack has run out; does a function call itself "
        "without end, or are local arrays too large?")},
    {"double_free", N_("line {2}: {3} is freed a second time")},
    {"bad_free", N_("line {2}: what is freed here is no memory from cudaMalloc")},
    {"leak", N_("line {2}: {3} is never freed")},
    {"missing_copy", N_("line {2}: kernels write {3}, and nobody ever copies it back or reads it")},
    {"unsupported", N_("line {2}: {5} is not supported here")},
    {"not_allowed", N_("line {2}: the program asks the system for {5}, which programs may not do here")},
};
static_assert(std::all_of(std::begin(kSimple), std::end(kSimple),
                          [](const Simple& s) { return title_of_kind(s.kind) != nullptr; }));

}  // namespace

Message words_of(const RawFinding& f, const NamedPlaces& p) {
  if (f.kind == "out_of_bounds") return out_of_bounds(f, p);
  if (f.kind == "race") return race(f, p);
  if (f.kind == "divergent_barrier" && f.text == "grid")
    return {N_("block {0} waits for the whole grid at line {1}, and block {2} ends without coming there"),
            {n(f.block), n(p.line), n(f.other_block)}};
  if (f.kind == "use_after_free" && f.text == "copy")
    return {N_("line {0}: a copy uses {1}, which was freed before"), {n(p.line), p.array}};
  if (f.kind == "copy_direction")
    return f.text == "to"
               ? Message{N_("line {0}: the pointer that is copied to is not on the side that the copy's kind "
                            "says"),
                         {n(p.line)}}
               : Message{N_("line {0}: the pointer that is copied from is not on the side that the copy's "
                            "kind says"),
                         {n(p.line)}};
  if (f.kind == "launch")
    return f.text.empty()
               ? Message{N_("line {0}: the kernel was not launched, and the program never asks why"),
                         {n(p.line)}}
               : Message{f.text, {}};
  for (const Simple& s : kSimple)
    if (f.kind == s.kind)
      return {s.words,
              {n(f.block), n(f.thread), n(p.line), p.array, n(f.element), f.text, n(f.other_thread),
               n(p.other_line), n(f.bytes)}};
  return {N_("line {0}: {1}"), {n(p.line), f.kind}};
}

Message words_of_refusal(const std::string& refused) {
  if (refused.empty()) return {};
  std::istringstream words(refused);
  std::string what, a, b, c;
  words >> what >> a >> b >> c;
  if (what == "threads") return {N_("a block of {0} threads cannot be launched: 1024 are the most"), {a}};
  if (what == "block")
    return {N_("a block of {0} x {1} x {2} cannot be launched: 1024 x 1024 x 64 are the most"), {a, b, c}};
  if (what == "grid")
    return {N_("a grid of {0} x {1} x {2} cannot be launched: 2147483647 x 65535 x 65535 are the most"),
            {a, b, c}};
  if (what == "shared")
    return {N_("{0} bytes of dynamic shared memory cannot be launched: {1} are the most, or what "
               "cudaFuncSetAttribute "
               "allows"),
            {a, b}};
  if (what == "cooperative")
    return {N_("a cooperative launch of {0} blocks does not fit on the device"), {a}};
  if (refused == "no threads") return {N_("a block without threads cannot be launched"), {}};
  return {N_("a grid without blocks cannot be launched"), {}};
}

Message words_of_end(const std::string& ended, int signal, double timeout_s, std::uint64_t memory_bytes,
                     int line) {
  std::ostringstream seconds;
  seconds << timeout_s;
  if (ended == "time")
    return line ? Message{N_("the program was ended after {0} s; it was at line {1}"),
                          {seconds.str(), n(line)}}
                : Message{N_("the program was ended after {0} s"), {seconds.str()}};
  if (ended == "stack")
    return {N_("the host's stack ran out at line {0}; does a function call itself without end?"), {n(line)}};
  if (ended == "memory")
    return {N_("the program needed more than the {0} MB of memory that it may have"),
            {n(std::int64_t(memory_bytes >> 20))}};
  if (ended == "output") return {N_("the program wrote more than {0} MB"), {"1"}};
  return line ? Message{N_("the program was ended by the signal {0} at line {1}"),
                        {signal_name(signal), n(line)}}
              : Message{N_("the program was ended by the signal {0}"), {signal_name(signal)}};
}

}  // namespace lockstep::reader
