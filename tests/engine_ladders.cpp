// What every ladder must stand: its runs survive their file, and it says how it is timed.
#include <doctest/doctest.h>

#include "app/engine/engine.hpp"
#include "app/engine/run_file.hpp"
#include "kernels/ladder.hpp"

using namespace lockstep;

TEST_CASE("every rung in every compiled shape comes back from its run file, edge tiles included" *
          doctest::test_suite("slow")) {
  const auto emulator = make_emulator_engine();
  for (const Ladder* ladder : ladders())
    for (const RungInfo& rung : ladder->info.rungs) {
      std::vector<Params> sets{{}};
      if (const auto own = ladder->info.sets.find(rung.slug); own != ladder->info.sets.end())
        sets = own->second;
      for (const Params& set : sets) {
        CAPTURE(rung.file);
        Request request;
        request.lab = ladder->info.slug, request.rung = rung.slug;
        request.params = *complete_params(ladder->info, rung.slug, set);
        if (request.params.contains("m")) request.params["m"] = std::int64_t{137};
        const auto run = emulator->run(request, [](const Progress&) { return true; });
        REQUIRE_MESSAGE(run, run.error().text());
        const auto archive = *encode_run(*run);
        const auto back = decode_run(archive, "rung.npz");
        REQUIRE_MESSAGE(back, back.error().text());
        CHECK(*encode_run(*back) == archive);
        CHECK(back->launches[0].trace.copies == run->launches[0].trace.copies);
      }
    }
}

TEST_CASE("a run of a thousand kernels comes back from its file, without touches that nobody could number" *
          doctest::test_suite("slow")) {
  for (const char* rung : {"chain", "fork_join"})
    for (const std::int64_t kernels : {256, 257, 1000}) {
      CAPTURE(rung);
      CAPTURE(kernels);
      Request request;
      request.lab = "graphs", request.rung = rung;
      request.params = *complete_params(find_ladder("graphs")->info, rung, {{"kernels", kernels}});
      const auto run = make_emulator_engine()->run(request, [](const Progress&) { return true; });
      REQUIRE_MESSAGE(run, run.error().text());
      CHECK(run->check.pass);
      CHECK(run->launches.size() == std::size_t(kernels));
      CHECK(run->touches.empty() == (kernels > 256));
      const auto archive = *encode_run(*run);
      const auto back = decode_run(archive, "thousand.npz");
      REQUIRE_MESSAGE(back, back.error().text());
      CHECK(*encode_run(*back) == archive);
      CHECK(back->launches.back().trace.events == run->launches.back().trace.events);
    }
}

TEST_CASE("every ladder says at which settings its rungs are timed") {
  for (const Ladder* ladder : ladders())
    for (const RungInfo& rung : ladder->info.rungs) {
      CAPTURE(rung.file);
      CHECK(complete_params(ladder->info, rung.slug, ladder->bench_params(rung.slug)).ok());
    }
}

TEST_CASE("a stranger's file cannot make a recording of another shape, or an occupancy that no device has") {
  Request request;
  request.lab = "gemm", request.rung = "naive";
  request.params = *complete_params(find_ladder("gemm")->info, "naive", {});
  const auto made = make_emulator_engine()->run(request, [](const Progress&) { return true; });
  REQUIRE(made.ok());
  CHECK(as_recording(*made, "sound").ok());
  Run huge = *made;
  huge.launches[0].views[0].shape = {64, std::uint64_t{1} << 30};
  CHECK_FALSE(as_recording(huge, "huge").ok());
  Run bare = *made;
  bare.request.params = {{"m", std::string("text")}};
  CHECK_FALSE(as_recording(bare, "bare").ok());
  for (const Occupancy& odd : {Occupancy{0, 16, 0, 8, 64, 1}, Occupancy{256, -1, 0, 8, 64, 1}}) {
    Run strange = *made;
    strange.occupancy = odd;
    CHECK_FALSE(decode_run(*encode_run(strange), "strange").ok());
  }
  Run far = *made;
  far.launches[0].trace.events[0].offset = 0xfffffffcu, far.launches[0].trace.events[0].width = 8;
  CHECK_FALSE(decode_run(*encode_run(far), "far").ok());
}
