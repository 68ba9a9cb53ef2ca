// The kinds of findings in readers' programs, and what a reader reads for each.
#pragma once
#include <string_view>

#include "app/model/result.hpp"

namespace lockstep::reader {

struct FindingKind {
  std::string_view kind;
  const char* title;
};
inline constexpr FindingKind kFindingKinds[] = {
    {"race", N_("race")},
    {"out_of_bounds", N_("out of bounds")},
    {"uninitialised", N_("not initialised")},
    {"misaligned", N_("misaligned")},
    {"divergent_barrier", N_("barrier in a branch")},
    {"warp_divergence", N_("a lane is missing")},
    {"not_in_mask", N_("not in its own mask")},
    {"shuffle_width", N_("width of a shuffle")},
    {"undefined_lane", N_("value of a missing lane")},
    {"copy_not_awaited", N_("copy not waited for")},
    {"use_after_free", N_("used after it was freed")},
    {"double_free", N_("freed twice")},
    {"bad_free", N_("freed, but never allocated")},
    {"leak", N_("never freed")},
    {"host_pointer", N_("a pointer of the host")},
    {"null_pointer", N_("null pointer")},
    {"illegal_address", N_("invalid address")},
    {"missing_copy", N_("never copied back")},
    {"copy_direction", N_("copy in the wrong direction")},
    {"launch", N_("not launched")},
    {"stack_overflow", N_("stack overflow")},
    {"endless", N_("does not end")},
    {"assert", N_("assertion failed")},
    {"trap", N_("trap")},
    {"unsupported", N_("not supported here")},
    {"not_allowed", N_("not allowed here")},
};
constexpr const char* title_of_kind(std::string_view kind) {
  for (const FindingKind& one : kFindingKinds)
    if (one.kind == kind) return one.title;
  return nullptr;
}

}  // namespace lockstep::reader
