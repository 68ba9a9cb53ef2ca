// What every ladder must stand: its runs survive their file, and it says how it is timed.
#include <doctest/doctest.h>

#include "app/engine/engine.hpp"
#include "app/engine/run_file.hpp"
#include "kernels/ladder.hpp"

using namespace lockstep;

TEST_CASE("every rung in every compiled shape comes back from its run file, edge tiles included") {
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

TEST_CASE("every ladder says at which settings its rungs are timed") {
  for (const Ladder* ladder : ladders())
    for (const RungInfo& rung : ladder->info.rungs) {
      CAPTURE(rung.file);
      CHECK(complete_params(ladder->info, rung.slug, ladder->bench_params(rung.slug)).ok());
    }
}
