// Lectures: `lockstep tour FILE` and `lockstep handout TOUR`.
#pragma once
#include "app/cli/verbs.hpp"
#include "app/shell/shell.hpp"

namespace lockstep {

// A scene of a tour in the place of a lab: what it leaves open is as the lab opens.
Result<ShotArguments> with_tour_scene(ShotArguments arguments, ShotOptions& options);
// The window in its presentation, with notes on a second one; without a file the pictures of every lab.
Outcome tour(const ShotArguments& arguments);
Outcome write_handout(const ShotArguments& arguments);

}  // namespace lockstep
