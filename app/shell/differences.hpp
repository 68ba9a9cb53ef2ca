// The numbers in which two runs differ.
#pragma once
#include <string>
#include <vector>

#include "app/labs/lab.hpp"

namespace lockstep {

// A number in two runs, as text with its unit; "–" where a run does not have it.
struct Difference {
  std::string label, left, right;
  std::string ratio;                    // right to left: "× 1.13", "÷ 32"; "" where there is none
  std::string left_words, right_words;  // provenance
  std::string path;                     // "time.median_ms", "counts.barriers"
};

struct Differences {
  std::vector<Difference> rows;  // every count, metric and time whose value differs
  int equal = 0;                 // how many do not
  int noise = 0;  // how many differ by less than they do from launch to launch, or than their model may err
};

// Two runs of one lab. Metrics are named as it names them among its numbers.
Differences differences_of(const LabScene& left, const LabScene& right);

// "× 1.13" or "÷ 32", three digits; "" unless both are above 0.
std::string ratio_text(double left, double right);

}  // namespace lockstep
