// An exercise with a part of every kind, and a judge who likes no program.
#pragma once
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "app/stories/exercise_check.hpp"

namespace lockstep::test {

constexpr int kSampleNumber = 0, kSampleChoice = 1, kSampleSeveral = 2, kSampleOrder = 3, kSamplePredict = 4,
              kSampleSet = 5, kSampleText = 6, kSampleProgram = 7, kSampleParts = 8;

constexpr const char* kSample = R"(---
title: A part of every kind
lab: transpose
minutes: 5
number: 1
vary: size = 64, *128
---
A matrix of {size} × {size} is turned over.

# How many elements
```scene
rung: tiled
n: 128
```
Count them.

```ask
part: count
number: How many elements has the matrix?
answer: size * size
unit: elements
hint: alpha
hint: beta
hint: gamma
show: n
formula: size * size
measured: run.params.n * run.params.n
```
Epsilon explains it.

# Which road
```ask
part: road
choice: Which road is full?
- HBM
+ SM to L2
- the arithmetic
```
The L2.

# Which of these
```ask
part: which
several: Which of these are in shared memory?
+ the tile
- the input
+ the padding || it is a column of the tile
reason: Why?
show: ladder
```
The tile and its padding.

# In order
```ask
part: order
order: What happens, one after the other?
+ read rows into the tile
+ wait at the barrier
+ read a column of the tile
- write to HBM twice
```
So it goes.

# Before the run
```scene
rung: tiled
n: 128
at: read tile, warp 4
```
```ask
part: guess
predict: How many wavefronts does a read of a column take?
answer: step.wavefronts
unit: wavefronts
formula: wavefronts(32, 4)
measured: step.wavefronts
```
All in one bank.

# Set it
```ask
part: free
set: Set the lab so that no read conflicts.
answer: run.counts.shared_load_conflicts == 0
```
A column more.

# In words
```ask
part: words
text: Why does the padded tile take no longer?
```
It is read by your teacher.

# Write it
```ask
part: write
program: Write the kernel.
task: sample
```
So it is written.
)";

inline void write_sample(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder / "exercises/en");
  std::filesystem::create_directories(folder / "stories");
  std::ofstream(folder / "exercises/en/sample.md") << kSample;
}

class SampleJudge final : public ProgramJudge {
 public:
  Result<Verdict> judge(const std::string&, std::string_view, const Params&) override {
    return Verdict{Verdict::Kind::wrong, msg("Element 2 is wrong."), nullptr, {msg("element 3")}};
  }
  Result<std::string> starting_text(const std::string&) override { return std::string("int main() {}\n"); }
};

}  // namespace lockstep::test
