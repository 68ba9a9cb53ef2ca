// Labs, rungs and parameters by what is typed.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct Found {
  std::string lab, rung, parameter;  // slugs; rung and parameter may be ""
  std::string title, detail;         // in the language in use
};

// Everything whose title, slug, question, idea or help holds every word of the query, in English or Chinese
// whatever the language in use; what begins with the query comes first. An empty query finds everything.
std::vector<Found> find_in_labs(std::string_view query);

}  // namespace lockstep
