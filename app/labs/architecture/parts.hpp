// The parts of a GPU, from the chip to a sub-core: what each is, how many there are, how fast and how big,
// with the source of every figure; and the stations of a byte on its way through them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/gpu.hpp"
#include "app/model/result.hpp"

namespace lockstep {

enum class Part { chip, gpc, tpc, sm, sub_core };
constexpr Part kParts[] = {Part::chip, Part::gpc, Part::tpc, Part::sm, Part::sub_core};
const char* name_of(Part part);  // as the setting has it: "sub_core"
Part part_named(std::string_view name);

// Where a matrix product's bytes are on their way from memory to the units that multiply.
enum class Station { memory, l2, array, registers, units };
constexpr Station kStations[] = {Station::memory, Station::l2, Station::array, Station::registers,
                                 Station::units};
const char* name_of(Station station);  // as the setting has it: "memory"
std::optional<Station> station_named(std::string_view name);
std::string title_of(Station station);
// What it gives or holds, in numbers that follow from the device's figures.
Message what_it_gives(Station station, const Gpu& gpu);
// The part in whose picture it is seen.
Part part_with(Station station);

// "H200 SXM", "GPC", "TPC", "SM 17": as a reader reads it.
std::string title_of(Part part, const Gpu& gpu, int sm);
Message what_it_is(Part part);  // one sentence

struct PartFact {
  Message label;
  std::string value;
  std::string figure;    // of assets/gpus.json, whose source it has: "l2_bytes"
  bool derived = false;  // follows from that figure and others of the file
};
// Nothing that is not published is among them but as that.
std::vector<PartFact> facts_of(Part part, const Gpu& gpu);

}  // namespace lockstep
