// A histogram as a student writes it, with the run that it would leave, made by hand: three launches, a race,
// a line whose lanes crowd into few words.
#pragma once
#include <cstring>
#include <string>

#include "app/model/fold.hpp"
#include "app/program/program_run.hpp"

namespace lockstep::test {

inline const std::string& histogram_text() {
  static const std::string text = R"(#include <cstdio>
#include <vector>

// Counts how often each value comes.
__global__ void fill(unsigned* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < n; i += gridDim.x * blockDim.x)
    in[i] = (i * 2654435761u >> 7) % 256;
}

// Each block counts for itself, then adds what it has.
__global__ void histogram(const unsigned* in, int n,
                          unsigned* bins) {
  __shared__ unsigned mine[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  mine[threadIdx.x] = 0;

  for (; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[in[i] % 256], 1u);

  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

int main() {
  const int n = 1 << 14;
  std::vector<unsigned> h(256);
  unsigned *in, *bins;
  cudaMalloc(&in, n * sizeof *in);
  cudaMalloc(&bins, 256 * sizeof *bins);
  cudaMemset(bins, 0, 256 * sizeof *bins);
  fill<<<16, 256>>>(in, n);
  histogram<<<64, 256>>>(in, n, bins);
  cudaMemcpy(h.data(), bins, 256 * sizeof *bins, cudaMemcpyDeviceToHost);
  unsigned total = 0;
  for (unsigned b : h) total += b;
  printf("bins 256, total %u of %d: %s\n", total, n, total == unsigned(n) ? "ok" : "wrong");
  return total != unsigned(n);
}
)";
  return text;
}

constexpr std::uint16_t kSampleFile = 7, kIn = 0, kBins = 1, kMine = kFirstSharedView + 14;

inline unsigned sample_value(unsigned i) { return (i * 2654435761u >> 7) % 256; }

inline ViewInfo sample_view(std::uint16_t id, const char* name, Space space, std::uint64_t elements) {
  ViewInfo view;
  view.id = id, view.name = name, view.space = space, view.type = "unsigned", view.element_bytes = 4;
  view.shape = {elements};
  return view;
}

inline Buffer sample_buffer(std::uint16_t view, const std::vector<unsigned>& values) {
  Buffer buffer{view, std::vector<std::uint8_t>(values.size() * 4)};
  std::memcpy(buffer.bytes.data(), values.data(), buffer.bytes.size());
  return buffer;
}

inline Touch sample_touch(std::uint16_t view, std::size_t n, int writer_line, int reader_line) {
  Touch t;
  t.view = view;
  for (std::size_t e = 0; e < n; ++e) {
    t.writer_block.push_back(writer_line ? std::uint32_t(e / 256 % 64) : Touch::kNobody);
    t.writer_thread.push_back(std::uint16_t(e % 256)), t.writer_line.push_back(std::uint16_t(writer_line));
    t.reader_block.push_back(reader_line ? std::uint32_t(e / 256 % 64) : Touch::kNobody);
    t.reader_thread.push_back(std::uint16_t(e % 256)), t.reader_line.push_back(std::uint16_t(reader_line));
    t.reads.push_back(reader_line ? 1 : 0);
  }
  return t;
}

// Threads of one block, each with the accesses that `of` makes for it.
template <class F>
BlockTrace sample_trace(int threads, F&& of) {
  BlockTrace trace;
  trace.begin.push_back(0);
  for (int t = 0; t < threads; ++t) {
    of(t, trace.events);
    trace.begin.push_back(trace.events.size());
  }
  trace.copy_begin.assign(std::size_t(threads) + 1, 0);
  return trace;
}

inline Access sample_access(Kind kind, std::uint16_t view, unsigned element, int line) {
  Access a;
  a.kind = kind, a.view = view, a.offset = element * 4, a.line = std::uint16_t(line), a.file = kSampleFile,
  a.width = 4;
  return a;
}

inline reader::ProgramLaunch sample_fill() {
  reader::ProgramLaunch fill;
  fill.kernel = fill.launch.kernel = "fill", fill.line = 32, fill.file = "histogram.cu";
  fill.launch.grid = {16, 1, 1}, fill.launch.block = {256, 1, 1};
  fill.launch.views = {sample_view(kIn, "in", Space::global, 16384)};
  fill.blocks = fill.traced_blocks = 16;
  fill.launch.trace = sample_trace(256, [](int t, std::vector<Access>& events) {
    for (unsigned i = unsigned(t); i < 16384; i += 4096)
      events.push_back(sample_access(Kind::store, kIn, i, 8));
  });
  fill.counts.global_store_requests = 512, fill.counts.global_store_sectors = 2048;
  fill.lines = {{"histogram.cu", 8, {512, 2048, 0, 0, 0}, 0, 4}};
  fill.touches = {sample_touch(kIn, 16384, 8, 0)};
  return fill;
}

inline reader::ProgramLaunch sample_histogram() {
  reader::ProgramLaunch h;
  h.kernel = h.launch.kernel = "histogram", h.line = 33, h.file = "histogram.cu";
  h.launch.grid = {64, 1, 1}, h.launch.block = {256, 1, 1}, h.shared_bytes = 1024;
  h.launch.views = {sample_view(kIn, "in", Space::global, 16384),
                    sample_view(kBins, "bins", Space::global, 256),
                    sample_view(kMine, "mine", Space::shared, 256)};
  h.blocks = h.traced_blocks = 64;
  h.launch.trace = sample_trace(256, [](int t, std::vector<Access>& events) {
    events.push_back(sample_access(Kind::store, kMine, unsigned(t), 16));
    events.push_back(sample_access(Kind::load, kIn, unsigned(t), 19));
    events.push_back(sample_access(Kind::atomic, kMine, sample_value(unsigned(t)) % 12, 19));
    events.push_back(sample_access(Kind::barrier, 0, 0, 21));
    events.push_back(sample_access(Kind::load, kMine, unsigned(t) * 2 % 256, 22));
    events.push_back(sample_access(Kind::reduction, kBins, unsigned(t), 22));
  });
  h.counts.global_load_requests = 512, h.counts.global_load_sectors = 2048,
  h.counts.global_reduction_sectors = 2048;
  h.counts.shared_store_wavefronts = 512, h.counts.shared_load_wavefronts = 1024;
  h.counts.shared_atomic_instructions = 512;
  h.lines = {{"histogram.cu", 16, {512, 0, 512, 0, 0}, 4, 0},
             {"histogram.cu", 19, {1024, 2048, 0, 0, 0}, 4, 4},
             {"histogram.cu", 22, {1024, 2048, 1024, 0, 512}, 4, 4}};
  h.touches = {sample_touch(kIn, 16384, 0, 19), sample_touch(kBins, 256, 22, 0)};
  return h;
}

inline reader::ProgramRun histogram_run() {
  reader::ProgramRun run;
  run.program = "histogram.cu", run.sources["histogram.cu"] = histogram_text();
  run.compiled = true, run.compile_seconds = 0.7, run.run_seconds = 0.1;
  run.launches = {sample_fill(), sample_histogram()};
  std::vector<unsigned> in, bins(256);
  for (unsigned i = 0; i < 16384; ++i) in.push_back(sample_value(i)), ++bins[in.back()];
  run.launches[0].buffers = {sample_buffer(kIn, in)};
  run.launches[1].buffers = {sample_buffer(kBins, bins)};
  const auto array = [](const char* name, std::uint64_t n, std::uint16_t view, int line) {
    reader::ProgramArray a;
    a.name = name, a.type = "unsigned", a.bytes = n * 4, a.shape = {n}, a.view = view,
    a.file = "histogram.cu";
    a.line = line;
    return a;
  };
  run.arrays = {array("in", 16384, kIn, 29), array("bins", 256, kBins, 30)};
  reader::ProgramFinding race;
  race.kind = "race", race.launch = 1, race.block = 0, race.thread = 70, race.other_thread = 5;
  race.file = "histogram.cu", race.line = 19, race.other_line = 16, race.view = "mine", race.element = 5;
  race.message = {
      "mine[{0}]: set to 0 by thread {1}, added to by thread {2}, no barrier between them. Put "
      "__syncthreads() after line {3}.",
      {"5", "5", "70", "16"}};
  run.findings = {race};
  run.files = {{kSampleFile, "histogram.cu"}};
  run.output = "bins 256, total 16384 of 16384: ok\n";
  run.notes = {{"elapsed times are not measured here", {}}};
  return run;
}

// The same text with an error in it.
inline reader::ProgramRun broken_run() {
  reader::ProgramRun run;
  run.program = "histogram.cu", run.compiled = false;
  reader::Diagnostic d;
  d.file = "histogram.cu", d.line = 16, d.column = 3,
  d.message = {"'mein' is not declared; did you mean 'mine'?", {}};
  run.diagnostics = {d};
  return run;
}

}  // namespace lockstep::test
