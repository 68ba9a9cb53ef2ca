// What stands in front of an exercise: its lab, its title, and what varies from seed to seed.
#pragma once
#include "exercise.hpp"
#include "fields.hpp"

namespace lockstep {

// Fills all but text and parts; `body` is where they begin.
Status read_exercise_front(const SourceText& source, Exercise& exercise, std::size_t& body);

}  // namespace lockstep
