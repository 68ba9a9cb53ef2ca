// What a student reads: lines that fit a book's page, and kernels that fit a screen.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "kernels/ladder.hpp"
#include "kernels/simt/emulate.hpp"
#include "places.hpp"

using namespace lockstep;

namespace {

constexpr std::size_t kColumns = 80;
constexpr int kLinesOfKernel = 60, kLinesAtTheTop = 90;

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Characters, not bytes.
std::size_t columns_of(const std::string& line) {
  std::size_t columns = 0;
  for (const char c : line) columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return columns;
}

bool is_rung(const std::string& name) { return name.size() > 3 && name[2] == '_' && std::isdigit(name[0]); }

std::vector<std::filesystem::path> kernel_texts() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path kernels = in_source("kernels");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kernels)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".cuh" && (is_rung(name) || name == "settings.cuh" || name == "bind.cuh"))
      files.push_back(entry.path());
  }
  return files;
}

// Kernels that tell units what to do are at the top of a ladder: each part of theirs has its scene in the
// story.
bool is_top(const std::filesystem::path& file) {
  for (const Ladder* ladder : ladders())
    for (const RungInfo& rung : ladder->info.rungs)
      if (file == in_source("kernels") / std::filesystem::path(rung.file)) return ladder->by_units(rung.slug);
  return false;
}

}  // namespace

TEST_CASE(
    "no line of a kernel's text is longer than 80 columns, and no kernel longer than 60 lines, or 90 at the "
    "top") {
  const auto files = kernel_texts();
  REQUIRE(files.size() > 51);
  for (const auto& file : files) {
    CAPTURE(file);
    int number = 0, begin = 0;
    const int most = is_top(file) ? kLinesAtTheTop : kLinesOfKernel;
    for (const std::string& line : lines_of(file)) {
      ++number;
      CAPTURE(number);
      CHECK(columns_of(line) <= kColumns);
      if (line.starts_with("LAB_KERNEL") || line.starts_with("LAB_DEVICE")) begin = number;
      begin += begin && line.find("LAB_ITERATION(") != line.npos;  // plain CUDA has no such line
      if (line == "}" && begin) {
        CHECK(number - begin + 1 <= most);
        begin = 0;
      }
    }
  }
}

TEST_CASE("shared memory is declared on one line: compilers disagree on the line of a longer one") {
  for (const auto& file : kernel_texts())
    for (const std::string& line : lines_of(file)) {
      CAPTURE(file);
      CAPTURE(line);
      const std::size_t macro =
          std::min({line.find(" SHARED("), line.find(" DYNAMIC_SHARED("), line.find(" DYNAMIC_BOXES("),
                    line.find(" DYNAMIC_CHUNKS("), line.find(" SHARED_BARRIERS(")});
      if (macro != line.npos && line.find("//") > macro) CHECK(line.find(");") != line.npos);
    }
}

// A set that no tile is compiled for would launch nothing: the launcher says so, and here nothing may be
// said.
TEST_CASE("every set of settings that a ladder offers has a kernel, and another tile is refused by name" *
          doctest::test_suite("slow")) {
  for (const char* lab : {"gemm", "attention"}) {
    const Ladder& ladder = *find_ladder(lab);
    for (const RungInfo& rung : ladder.info.rungs) {
      std::vector<Params> sets{{}};
      if (const auto own = ladder.info.sets.find(rung.slug); own != ladder.info.sets.end())
        sets = own->second;
      for (const Params& set : sets) {
        Params params = *complete_params(ladder.info, rung.slug, set);
        CAPTURE(rung.slug);
        simt::ProblemBuffers buffers(ladder, params, rung.slug);
        const auto run = [&] { return simt::emulate(ladder, rung.file, params, buffers.spans(), {}); };
        const auto done = run();
        CHECK(done.no_kernel == "");
        CHECK(!done.launches.empty());
        const char* edge = lab == std::string("gemm") ? "bm" : "tile_q";
        if (!params.contains(edge)) continue;
        params[edge] = std::int64_t{24};
        CHECK(run().no_kernel.find(std::string(edge) + " = 24") != std::string::npos);
      }
    }
  }
}
