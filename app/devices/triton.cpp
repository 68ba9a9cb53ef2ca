#include "triton.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/model/embedded.hpp"

namespace lockstep {

extern const EmbeddedFile embedded_triton[];
extern const int embedded_triton_count;

namespace {

using Json = nlohmann::json;

int product(const std::vector<int>& numbers) {
  int all = 1;
  for (const int n : numbers) all *= n;
  return all;
}

// `index` counted in `order`, the first dimension of it fastest.
int linear(const std::vector<int>& index, const std::vector<int>& extents, const std::vector<int>& order) {
  int at = 0, stride = 1;
  for (const int d : order) {
    at += index[std::size_t(d)] * stride;
    stride *= extents[std::size_t(d)];
  }
  return at;
}

TimedUs timed(const Json& us) { return {us.at(0), us.at(1), us.at(2)}; }

TritonBuild read_build(const Json& entry) {
  TritonBuild build;
  entry.at("block").get_to(build.block), entry.at("warps").get_to(build.warps);
  const Json& layout = entry.at("layout");
  layout.at("per_thread").get_to(build.layout.per_thread), layout.at("threads").get_to(build.layout.threads);
  layout.at("warps").get_to(build.layout.warps), layout.at("order").get_to(build.layout.order);
  entry.at("layout_text").get_to(build.layout_text);
  for (const auto& [line, text] : entry.at("ptx").items()) text.get_to(build.ptx[std::stoi(line)]);
  return build;
}

TritonRecord read_record(const Json& file, const Json& program) {
  TritonRecord record;
  file.at("device").get_to(record.device), file.at("date").get_to(record.date),
      file.at("versions").get_to(record.versions);
  for (const Json& build : program.at("builds")) record.builds.push_back(read_build(build));
  for (const Json& t : program.at("times"))
    record.times.push_back({t.at("elements"), t.at("block"), t.at("threads"), timed(t.at("triton_us")),
                            timed(t.at("ours_us")), timed(t.at("torch_us"))});
  return record;
}

struct Beside {
  std::vector<std::string> lines;
  std::vector<TritonRecord> records;
};

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

// The files are the program's own: what does not fit throws, and a test reads them.
std::map<std::string, Beside, std::less<>> read_all() {
  std::map<std::string, Beside, std::less<>> all;
  for (int i = 0; i < embedded_triton_count; ++i) {
    const std::string_view name = embedded_triton[i].name, text = embedded_triton[i].text;
    if (name.ends_with(".py")) all[std::string(name.substr(0, name.size() - 3))].lines = lines_of(text);
    if (!name.ends_with(".json")) continue;
    const Json file = Json::parse(text);
    for (const auto& [rung, program] : file.at("programs").items())
      all[rung].records.push_back(read_record(file, program));
  }
  for (auto& [rung, beside] : all)
    std::stable_sort(beside.records.begin(), beside.records.end(), [](const auto& a, const auto& b) {
      return (a.device.find("H200") != a.device.npos) > (b.device.find("H200") != b.device.npos);
    });
  return all;
}

const Beside& beside(std::string_view rung) {
  static const auto all = read_all();
  static const Beside none;
  const auto at = all.find(rung);
  return at == all.end() ? none : at->second;
}

}  // namespace

bool TritonLayout::sound() const {
  const std::size_t n = order.size();
  if (n == 0 || per_thread.size() != n || threads.size() != n || warps.size() != n) return false;
  for (const auto* numbers : {&per_thread, &threads, &warps})
    if (std::any_of(numbers->begin(), numbers->end(), [](int x) { return x < 1; })) return false;
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t d = 0; d < n; ++d)
    if (sorted[d] != int(d)) return false;
  return true;
}

TritonSeat seat_of(const TritonLayout& layout, std::span<const int> block, std::span<const int> at) {
  const std::size_t n = layout.order.size();
  std::vector<int> warp(n), lane(n), reg(n), round(n), rounds(n);
  for (std::size_t d = 0; d < n; ++d) {
    const int of_warp = layout.per_thread[d] * layout.threads[d], of_all = of_warp * layout.warps[d];
    const int inside = at[d] % of_all;
    warp[d] = inside / of_warp, lane[d] = inside % of_warp / layout.per_thread[d];
    reg[d] = inside % layout.per_thread[d];
    round[d] = at[d] / of_all, rounds[d] = std::max(1, block[d] / of_all);
  }
  return {linear(warp, layout.warps, layout.order), linear(lane, layout.threads, layout.order),
          linear(round, rounds, layout.order) * product(layout.per_thread) +
              linear(reg, layout.per_thread, layout.order)};
}

const TritonBuild* TritonRecord::build_of(std::span<const int> block) const {
  for (const TritonBuild& build : builds)
    if (std::equal(build.block.begin(), build.block.end(), block.begin(), block.end())) return &build;
  return nullptr;
}

const std::vector<std::string>& triton_lines(std::string_view rung) { return beside(rung).lines; }

const std::vector<TritonRecord>& triton_records(std::string_view rung) { return beside(rung).records; }

}  // namespace lockstep
