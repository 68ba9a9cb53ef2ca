// Evidence: what a run brings with it, by kind, and the flat names of it.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "app/model/curves_evidence.hpp"
#include "app/model/measured_evidence.hpp"
#include "app/model/memory_evidence.hpp"
#include "app/model/occupancy_evidence.hpp"
#include "app/model/pipeline_evidence.hpp"
#include "app/model/ranges_record.hpp"
#include "app/model/recorded_beside.hpp"
#include "app/model/sm_evidence.hpp"
#include "app/model/step_times.hpp"
#include "app/model/stopwatch.hpp"
#include "app/model/transfer_evidence.hpp"

using namespace lockstep;

namespace {

Value whole(std::int64_t x) { return x; }
Value text(const char* x) { return std::string(x); }

const std::vector<PipelineNode> kNodes{{"a", 0, {}}, {"b", 0, {0}}};

// One figure or more of every kind.
Metrics of_every_kind() {
  Metrics all{{"accesses", whole(7)},
              {"models.l2_load_bytes", whole(64)},
              {"measured.cycles", 3.5},
              {"measured.cycles_min", 3.0},
              {"measured.cycles_text", text("1,2;")},
              {"measured.elements", whole(9)},
              {"compiled.shared_load_wavefronts", whole(12)},
              {"libraries.cudnn_ms", 0.25},
              {"counted.dram_read_bytes", whole(4096)},
              {"driver.registers", whole(32)},
              {"driver.warps_per_sm", whole(48)},
              {"next.threads.more", whole(65)},
              {"next.threads.more_blocks", whole(3)},
              {"loaded.registers", whole(90)},
              {"curve.stream.warps_16", 812.5},
              {"curve.strided.stride_8.gb_per_s", 90.0},
              {"model.cycles", whole(3510)},
              {"model.stalls.barrier", 0.125},
              {"model.error", 0.01},
              {"recorded.cycles", whole(3518)},
              {"played.rung", text("gemm/shared")},
              {"products.rung", text("gemm/ldmatrix")},
              {"graph.problem", text("no graph")},
              {"cases.branch.error", whole(900)},
              {"cases.branch.way_out", whole(0)},
              {"cupti.status", text("refused")},
              {"cupti.reason", text("run")},
              {"ranges.record", text(";;")},
              {"placed.first_wave", whole(264)},
              {"placed.tail_us", 33.5},
              {"seen.H200.places", text("0,0,0,10;1,0,2,12;")},
              {"seen.H200.groups", text("0,2;1;")},
              {"api.L2CacheSize", whole(62914560)},
              {"steps.times", text("4 2 0,77,0,10,0;1,0,0,12,90;")},
              {"steps.slowdown", 1.1},
              {"reads_per_element", 3.0}};
  const PipelineRecord record = modelled_stream(kNodes, {2, 3}, known_launch_costs());
  all.merge(record_metrics("stream", kNodes, record, stream_starts(known_launch_costs())));
  all.merge(cost_metrics(known_launch_costs()));
  all.merge(model_metrics({1, 2, 3, 4}, false, 10.0, 20.0));
  Stopwatches watches;
  for (auto& one : watches) one.first_us = 100, one.runs = {5, 6, 7};
  all.merge(stopwatch_metrics(watches));
  all.merge(product_metrics({{128, 1, 9.5}}));
  TransferEvidence transfer;
  transfer.operations = {{OperationKind::copy_in, "", 1, false, 12},
                         {OperationKind::kernel, "work", 1, false, 14}};
  transfer.record = modelled_operations(transfer.operations, 10, known_transfer_costs());
  transfer.modelled = transfer.record, transfer.plain = {12.0, 11.0, 13.5}, transfer.rounds = 2000;
  all.merge(transfer.flat());
  return all;
}

template <class T>
void comes_back() {
  const Metrics own = Evidence(of_every_kind()).of(T::kind);
  CAPTURE(T::kind.name);
  REQUIRE_FALSE(own.empty());
  CHECK(T::read(own)->flat() == own);
}

}  // namespace

TEST_CASE("a file's figures are the run's, each kind reads its own, and no figure has two") {
  const Metrics all = of_every_kind();
  const Evidence evidence(all);
  CHECK(evidence.flat() == all);
  std::set<std::string> owned;
  for (const EvidenceKind* kind : evidence_kinds()) {
    CAPTURE(kind->name);
    CHECK_FALSE(evidence.of(*kind).empty());
    for (const auto& figure : evidence.of(*kind))
      CHECK_MESSAGE(owned.insert(figure.first).second, figure.first);
  }
  CHECK(owned.size() + 1 == all.size());  // all but a ladder's own: reads_per_element
  CHECK(evidence.find<MemoryEvidence>()->l2_load_bytes == 64);
  CHECK(evidence.find<MeasuredEvidence>()->figures.at("cycles").min == 3.0);
  CHECK(evidence.find<MeasuredEvidence>()->figures.size() == 2);
  CHECK(evidence.find<CurvesEvidence>()->find({"stream", "warps", ""})->at(16) == 812.5);
  CHECK(evidence.find<CurvesEvidence>()->find({"strided", "stride", "gb_per_s"})->at(8) == 90.0);
  CHECK(evidence.find<SmEvidence>()->stalls[std::size_t(WarpState::barrier)] == 0.125);
  CHECK(evidence.find<PipelineEvidence>()->stream.record->kernels.size() == 2);
  CHECK(evidence.find<PipelineEvidence>()->cases.at("branch").error == 900);
  CHECK(evidence.find<PipelineEvidence>()->profiler.problem->reason == "run");
  CHECK(evidence.find<StopwatchEvidence>()->stopwatches[2]->runs.size() == 3);
  CHECK(evidence.find<StopwatchEvidence>()->products.front().n == 128);
  CHECK(evidence.find<RangesEvidence>()->own->ok());
  CHECK_FALSE(Evidence().find<PipelineEvidence>());
}

TEST_CASE("what a kind writes is what it reads") {
  comes_back<MemoryEvidence>(), comes_back<MeasuredEvidence>(), comes_back<CompiledEvidence>();
  comes_back<CountedEvidence>(), comes_back<LibrariesEvidence>(), comes_back<DriverEvidence>();
  comes_back<OccupancyEvidence>();
  comes_back<SmEvidence>(), comes_back<RangesEvidence>(), comes_back<CurvesEvidence>();
  comes_back<TransferEvidence>(), comes_back<StepTimesEvidence>();
}

TEST_CASE("a record takes the place of all that there was of its kind, and of nothing else") {
  Evidence evidence(of_every_kind());
  const std::size_t before = evidence.flat().size();
  evidence.put(DriverEvidence{40, 0, 4, 32});
  CHECK(evidence.flat().size() == before + 2);
  CHECK(evidence.flat().at("driver.blocks_per_sm") == whole(4));
  CHECK(evidence.find<DriverEvidence>()->registers == 40);
  evidence.drop<DriverEvidence>();
  CHECK(evidence.flat().size() == before - 2);
  CHECK_FALSE(evidence.find<DriverEvidence>());
  evidence.set("driver.registers", whole(24));
  CHECK(evidence.find<DriverEvidence>()->registers == 24);
}

TEST_CASE("a copy of a run keeps what it had while the other one goes on") {
  Evidence first(of_every_kind());
  const Evidence copy = first;
  first.set("driver.registers", whole(1));
  CHECK(copy.find<DriverEvidence>()->registers == 32);
  CHECK(first.find<DriverEvidence>()->registers == 1);
}

// Every figure once as each other type, and as damaged text.
TEST_CASE("a stranger's figure of any type is kept as it is and harms no reader") {
  const Metrics sound = of_every_kind();
  for (const auto& figure : sound)
    for (const Value& odd : {whole(-1), Value{std::nan("")}, Value{1e308}, text(""), text("0 0 0"),
                             text(";;;;"), text("99999999999999999999,"), whole(INT64_MIN)}) {
      const std::string& name = figure.first;
      Metrics damaged = sound;
      damaged[name] = odd;
      const Evidence evidence(damaged);
      CAPTURE(name);
      CHECK(evidence.flat().size() == damaged.size());
      CHECK(to_string(evidence.flat().at(name)) == to_string(odd));
    }
  Metrics damaged = sound;
  damaged["stream.record"] = text("0 0 0"), damaged["costs.launch_us"] = std::nan("");
  damaged["stopwatch.events.runs"] = text("1,x,"), damaged["curve.stream.warps_99999999999999999999"] = 1.0;
  const Evidence evidence(damaged);
  CHECK_FALSE(evidence.find<PipelineEvidence>()->stream.record);
  CHECK_FALSE(evidence.find<PipelineEvidence>()->costs);
  CHECK_FALSE(evidence.find<StopwatchEvidence>()->stopwatches[2]);
  CHECK(evidence.find<CurvesEvidence>()->find({"stream", "warps", ""})->size() == 1);
}

TEST_CASE("a record of kernels is of a pipeline with as many, and of no other") {
  Run run;
  run.evidence = Evidence(of_every_kind());
  CHECK(record_of(run, "stream", 2));
  CHECK_FALSE(record_of(run, "stream", 3));
  CHECK_FALSE(record_of(run, "stream", 1));
  CHECK_FALSE(record_of(run, "graph", 2));
}

TEST_CASE(
    "beside another engine's answer stands what only a GPU can say, as recorded; the rest stays its own") {
  Run recorded, run;
  recorded.device.name = "NVIDIA H200", recorded.date = "2026-11-22";
  recorded.evidence = Evidence(of_every_kind());
  run.evidence = Evidence({{"accesses", whole(5)}, {"ranges.record", text(";;")}});
  take_recorded(run, recorded);
  CHECK(run.metrics().at("accesses") == whole(5));
  for (const char* left_out : {"models.l2_load_bytes", "libraries.cudnn_ms", "model.cycles",
                               "next.threads.more", "curve.stream.warps_16", "reads_per_element"})
    CHECK_FALSE(run.metrics().contains(left_out));
  for (const char* taken :
       {"measured.cycles", "compiled.shared_load_wavefronts", "driver.registers", "stream.record",
        "costs.launch_us", "stopwatch.events.runs", "products.n_128_us"}) {
    CAPTURE(taken);
    CHECK(run.metrics().contains(taken));
    CHECK(provenance_of(run, std::string("metrics.") + taken) == "recorded: NVIDIA H200, 2026-11-22");
  }
  CHECK(provenance_of(run, "metrics.models.serial_us") == "modelled, from the recorded costs");
  CHECK(run.metrics().contains("ranges.recorded.record"));
  CHECK(provenance_of(run, "metrics.ranges.recorded.record") == "recorded: NVIDIA H200, 2026-11-22");
  CHECK(provenance_of(run, "metrics.ranges.record").empty());
}

TEST_CASE("what is forgotten leaves no figure and no word of where it came from") {
  Run run;
  run.evidence = Evidence(of_every_kind());
  run.provenance = {
      {"metrics", "measured"}, {"metrics.model.error", "modelled"}, {"metrics.models", "modelled"}};
  forget(run, SmEvidence::kind);
  CHECK_FALSE(run.metrics().contains("model.cycles"));
  CHECK(run.metrics().contains("models.l2_load_bytes"));
  CHECK(run.provenance.size() == 2);
  CHECK_FALSE(run.provenance.contains("metrics.model.error"));
}

TEST_CASE("a run that is recorded keeps its own figures, and none that came of other recordings") {
  Run run;
  run.evidence = Evidence({{"seen.H200.places", text("0,1,2,3;")},
                           {"seen.H2000.places", text("not of that device")},
                           {"measured.cycles", 3.5},
                           {"placed.waves", whole(2)}});
  run.provenance["metrics.seen.H200"] = Provenance::recorded("NVIDIA H200", "2026-11-22");
  run.provenance["metrics.measured"] = Provenance::measured();
  run.provenance["metrics.placed"] = Provenance::modelled();
  run.provenance["time"] = Provenance::recorded("NVIDIA H200", "2026-11-22");
  forget_recorded(run);
  const Metrics& left = run.evidence.flat();
  CHECK_FALSE(left.contains("seen.H200.places"));
  CHECK(left.contains("seen.H2000.places"));
  CHECK(left.contains("measured.cycles"));
  CHECK(left.contains("placed.waves"));
  CHECK_FALSE(run.provenance.contains("metrics.seen.H200"));
  CHECK(run.provenance.size() == 3);
}

TEST_CASE("a recording holds a measurement where anything of a GPU's is in it") {
  Run run;
  CHECK_FALSE(holds_measurement(run));
  run.evidence.set("driver.registers", whole(3));
  run.evidence.set("compiled.barriers", whole(3));
  CHECK_FALSE(holds_measurement(run));
  run.evidence.set("measured.ms", 1.0);
  CHECK(holds_measurement(run));
  Run timed;
  timed.time.emplace();
  CHECK(holds_measurement(timed));
}
