#include "findings.hpp"

#include <algorithm>

namespace lockstep::simt {

void Told::add(BlockNotes notes) {
  for (RepeatedFinding& found : notes.findings) {
    const bool known = std::any_of(findings_.begin(), findings_.end(),
                                   [&](const Finding& f) { return same_lines(f, found.first); });
    if (known) continue;
    if (int(findings_.size()) < kMaxFindings)
      findings_.push_back(std::move(found.first));
    else
      dropped_ += found.times;
  }
  printed_ += std::string_view(notes.printed).substr(0, kMaxPrinted - printed_.size());
  overflowed_ |= notes.overflowed;
}

}  // namespace lockstep::simt
