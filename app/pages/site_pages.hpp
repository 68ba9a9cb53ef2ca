// The pages of one language, each written to the site.
#pragma once
#include "site.hpp"

namespace lockstep {

Status write_home(Site& site);
Status write_labs(Site& site, const std::string& lab);  // the lab's page, its story and its claims
Status write_story(Site& site, const Story& story);
Status write_claim(Site& site, const Story& claim);
Status write_claims(Site& site);  // the list
Status write_exercise(Site& site, const Exercise& exercise);
Status write_exercises(Site& site);
Status write_glossary(Site& site);
Status write_commands(Site& site);
// From docs/: those that site_pages() names, and the list of them.
Status write_manual(Site& site);

}  // namespace lockstep
