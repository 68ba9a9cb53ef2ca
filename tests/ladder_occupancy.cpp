// The occupancy rules against what the driver of an H200 answered for every recorded kernel.
#include <doctest/doctest.h>

#include "app/devices/gpus.hpp"
#include "app/engine/engine.hpp"
#include "app/model/occupancy.hpp"
#include "kernels/ladder.hpp"
#include "places.hpp"

using namespace lockstep;

TEST_CASE("blocks per SM are those that the driver gave, for every recorded kernel") {
  const auto engine = make_recording_engine({in_source("assets/recordings")});
  int compared = 0;
  for (const Ladder* ladder : ladders())
    for (const RungInfo& rung : ladder->info.rungs)
      for (const Run& run : engine->recorded(ladder->info.slug, rung.slug)) {
        if (!run.occupancy) continue;
        const Gpu* gpu = find_gpu(run.device.name);
        REQUIRE(gpu);
        const Occupancy& recorded = *run.occupancy;
        CAPTURE(rung.file);
        const ResidentBlocks r =
            resident_blocks(*gpu, {recorded.threads_per_block, recorded.registers, recorded.shared_bytes});
        CHECK(r.blocks == recorded.blocks_per_sm);
        CHECK(r.warps == recorded.warps_per_sm);
        CHECK(r.fraction == doctest::Approx(recorded.fraction));
        ++compared;
      }
  CHECK(compared >= 200);
}
