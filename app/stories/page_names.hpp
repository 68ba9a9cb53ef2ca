// The pages of the web site beside the program (`lockstep pages`), by name: for the site itself, and for what
// links to it.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "app/model/result.hpp"

namespace lockstep {

enum class SitePage {
  home,
  lab,  // with a name, as those below
  story,
  claims,
  claim,
  exercises,
  exercise,
  glossary,
  manual,
  commands,
  files,
  writing_stories,
  writing_exercises,
  adding_a_lab,
  counts
};

struct SitePageName {
  SitePage page;
  const char* path;      // below the language's folder; '*' is the name
  const char* title;     // English, and the key of its translation; "" where the page has one of its own
  const char* document;  // the file in docs/ that it is made from; "" for none
};
std::span<const SitePageName> site_pages();
const SitePageName& site_page(SitePage page);

// "stories/transpose.html", below the language's folder.
std::string page_path(SitePage page, std::string_view name = "");
// "bank conflict" -> "bank-conflict": where a word stands on the glossary's page.
std::string word_anchor(std::string_view word);

}  // namespace lockstep
