// What the verbs that draw share: flags to options, a lab's run to a picture's.
#pragma once
#include "app/cli/session.hpp"
#include "app/cli/verbs.hpp"
#include "app/shell/shell.hpp"

namespace lockstep {

// What can be checked before anything runs.
Result<ShotOptions> parse_look(const ShotArguments& arguments);
// The run that the arguments ask for, and one beside it, with what the window knows of the lab's times.
Status prepare_picture(ShotArguments arguments, Session& session, ShotOptions& options);

}  // namespace lockstep
