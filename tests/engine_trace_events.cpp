// Trace events: read back, they hold every span, nest, and name what they show.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "app/engine/trace_events.hpp"
#include "engine_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

using Json = nlohmann::json;

Json read_back(const Timeline& t, const std::string& about = "") {
  const Json file = Json::parse(trace_file(t, about));
  for (const Json& e : file["traceEvents"]) {  // what the format asks of every event
    CHECK(e["ph"].is_string());
    CHECK(e["name"].is_string());
    CHECK(e["pid"].is_number_integer());
    if (e["ph"] != "M") CHECK(e["ts"].is_number());
    if (e["ph"] == "X") CHECK(e["dur"].get<double>() > 0);
  }
  return file;
}

std::vector<Json> events(const Json& file, const std::string& phase) {
  std::vector<Json> some;
  for (const Json& e : file["traceEvents"])
    if (e["ph"] == phase) some.push_back(e);
  return some;
}

// Complete events of one thread, in whole ns: each lies in what is open when it begins.
void check_nesting(const Json& file) {
  std::map<int, std::vector<std::pair<std::int64_t, std::int64_t>>> by_thread;
  for (const Json& e : events(file, "X")) {
    const auto ns = [&](const char* key) { return std::llround(e[key].get<double>() * 1000); };
    by_thread[e["tid"].get<int>()].emplace_back(ns("ts"), ns("ts") + ns("dur"));
  }
  for (auto& [tid, spans] : by_thread) {
    std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    std::vector<std::int64_t> open;
    for (const auto& [start, end] : spans) {
      while (!open.empty() && open.back() <= start) open.pop_back();
      if (!open.empty()) CHECK(end <= open.back());
      open.push_back(end);
    }
  }
}

// A flow's ends lie in spans of the threads that they name.
void check_flows(const Json& file) {
  std::map<int, int> starts, ends;
  for (const std::string phase : {"s", "f"})
    for (const Json& flow : events(file, phase)) {
      ++(phase == "s" ? starts : ends)[flow["id"].get<int>()];
      bool inside = false;
      for (const Json& e : events(file, "X"))
        inside |= e["tid"] == flow["tid"] && e["ts"].get<double>() <= flow["ts"].get<double>() &&
                  flow["ts"].get<double>() < e["ts"].get<double>() + e["dur"].get<double>();
      CHECK(inside);
    }
  CHECK(starts == ends);
  for (const auto& [id, count] : starts) CHECK(count == 1);
}

Timeline decode_step() {
  Timeline t;
  t.kinds = {"api", "kernel"}, t.edge_kinds = {"launch", "dependency"};
  const auto call = t.add(t.add_lane("main thread", "CPU"), "cudaGraphLaunch", 1000, 4100, 0);
  t.add(t.lanes[0], "inner", 1500, 2000, 0);
  t.add_lane("stream A", "GPU"), t.add_lane("stream B", "GPU");
  const auto norm = t.add(t.lanes[1], "norm", 3001, 9000, 1);
  const auto qkv = t.add(t.lanes[2], "qkv", 9000, 20000, 1);
  t.add(t.lanes[1], "mark", 9500, 9500, 1);
  t.edges = {{call, norm, 0}, {norm, qkv, 1}, {norm, 99999, 1}};
  t.nest();
  return t;
}

}  // namespace

TEST_CASE("every span is an event with its time in µs, its thread's and its process' name") {
  const Json file = read_back(decode_step());
  CHECK(file["displayTimeUnit"] == "ns");
  CHECK(events(file, "X").size() == 4);
  CHECK(events(file, "i").size() == 1);
  CHECK(events(file, "i")[0]["s"] == "t");
  std::map<int, std::string> threads, processes;
  for (const Json& e : events(file, "M")) {
    if (e["name"] == "thread_name") threads[e["tid"].get<int>()] = e["args"]["name"];
    if (e["name"] == "process_name") processes[e["pid"].get<int>()] = e["args"]["name"];
  }
  for (const Json& e : events(file, "X"))
    if (e["name"] == "norm") {
      CHECK(e["ts"] == 3.001);
      CHECK(e["dur"] == 5.999);
      CHECK(e["cat"] == "kernel");
      CHECK(threads[e["tid"].get<int>()] == "stream A");
      CHECK(processes[e["pid"].get<int>()] == "GPU");
    }
  check_nesting(file);
}

TEST_CASE("every flow has both ends in their spans; an edge to a span that is not there is none") {
  const Json file = read_back(decode_step());
  CHECK(events(file, "s").size() == 2);
  CHECK(events(file, "f").size() == 2);
  CHECK(events(file, "s")[0]["cat"] == "launch");
  check_flows(file);
}

TEST_CASE("spans that overlap without nesting stand in threads of their own, all of the lane's name") {
  Timeline t;
  std::mt19937 random(2);
  t.add_lane("stream", "GPU");
  std::vector<std::uint32_t> ids;
  for (int i = 0; i < 300; ++i) {
    const auto start = std::int64_t(random() % 5000);
    ids.push_back(t.add(t.lanes[0], "k", start, start + 1 + std::int64_t(random() % 400)));
  }
  for (int i = 0; i < 100; ++i) t.edges.push_back({ids[random() % 300], ids[random() % 300], 0});
  t.nest();
  const Json file = read_back(t);
  CHECK(events(file, "X").size() == 300);
  check_nesting(file);
  check_flows(file);
  for (const Json& e : events(file, "M"))
    if (e["name"] == "thread_name") CHECK(e["args"]["name"] == "stream");
}

TEST_CASE(
    "names with quotes, other alphabets, control characters and damaged bytes come back or are repaired") {
  Timeline t;
  const std::vector<std::string> names{"say \"hi\" \\ bye", "内核 ü", std::string("tab\tnul\0end", 11),
                                       "\x1b[31m"};
  t.add_lane("lane \"1\"\n", "进程");
  for (std::size_t i = 0; i < names.size(); ++i)
    t.add(t.lanes[0], names[i], std::int64_t(i) * 10, std::int64_t(i) * 10 + 5);
  t.add(t.lanes[0], "bad \xff byte", 100, 110);
  t.nest();
  const auto found = events(read_back(t), "X");
  REQUIRE(found.size() == 5);
  for (std::size_t i = 0; i < names.size(); ++i) CHECK(found[i]["name"] == names[i]);
  CHECK(found[4]["name"] == "bad \xEF\xBF\xBD byte");
}

TEST_CASE("an empty timeline is a file without events; lanes without spans keep their names") {
  Timeline t;
  CHECK(read_back(t)["traceEvents"].empty());
  t.add_lane("CPU"), t.nest();
  CHECK(events(read_back(t), "X").empty());
  CHECK(events(read_back(t), "M").size() == 4);
}

TEST_CASE("what a run says of itself stands beside its events; text that is no object is left out") {
  CHECK(read_back(decode_step(), R"({"lab":"graphs"})")["lab"] == "graphs");
  CHECK(read_back(decode_step(), "[1]").contains("traceEvents"));
}

TEST_CASE("times of hours keep their ns") {
  Timeline t;
  t.add(t.add_lane("CPU"), "late", 7'200'000'000'001, 7'200'000'000'004);
  t.nest();
  const Json file = read_back(t);
  CHECK(std::llround(events(file, "X")[0]["ts"].get<double>() * 1000) == 7'200'000'000'001);
  CHECK(events(file, "X")[0]["dur"] == 0.003);
}

TEST_CASE("run --save of the scheduler lab writes its run and its warps' states as one file") {
  const TemporaryFolder folder;
  const std::string file = folder / "run.json";
  run_program({"run", "scheduler", "--set", "warps=8", "--save", file});
  const Json run = Json::parse(text_of(file));
  CHECK(run["lab"] == "scheduler");
  CHECK(run["params"]["warps"] == 8);
  CHECK(events(run, "X").size() > 100);
  check_nesting(run);
}

TEST_CASE("run --save of every lab holds its NVTX ranges: a process of its own, nested, marks as instants") {
  for (const std::string lab : {"transpose", "graphs", "timing"}) {
    CAPTURE(lab);
    const TemporaryFolder folder;
    const std::string file = folder / "run.json";
    const auto result = run_program({"run", lab, "--engine", "emulator", "--save", file});
    REQUIRE_MESSAGE(result.exit == 0, result.err);
    const Json run = Json::parse(text_of(file));
    CHECK(run["lab"] == lab);
    std::map<int, std::string> threads;
    int nvtx = 0;
    for (const Json& e : events(run, "M")) {
      if (e["name"] == "process_name" && e["args"]["name"] == "NVTX") nvtx = e["pid"];
      if (e["name"] == "thread_name") threads[e["tid"].get<int>()] = e["args"]["name"];
    }
    REQUIRE(nvtx > 0);
    Json whole, emulate;
    for (const Json& e : events(run, "X")) {
      if (e["pid"] != nvtx) continue;
      if (e["name"].get<std::string>().starts_with(lab + "/")) whole = e;
      if (e["name"] == "emulate") emulate = e;
      if (e["name"] == "an order waits") CHECK(e["cat"] == "nvtx start-end");
    }
    REQUIRE(whole.is_object());
    REQUIRE(emulate.is_object());
    CHECK(whole["cat"] == "nvtx");
    CHECK(threads[whole["tid"].get<int>()] == "worker");
    CHECK(emulate["tid"] == whole["tid"]);
    CHECK(emulate["ts"].get<double>() >= whole["ts"].get<double>());
    CHECK(emulate["ts"].get<double>() + emulate["dur"].get<double>() <=
          whole["ts"].get<double>() + whole["dur"].get<double>());
    int marks = 0;
    for (const Json& e : events(run, "i")) marks += e["pid"] == nvtx && e["cat"] == "nvtx mark";
    CHECK(marks == 3);
    check_nesting(run);
  }
}
