#include "page_names.hpp"

#include <algorithm>

namespace lockstep {

std::span<const SitePageName> site_pages() {
  static constexpr SitePageName all[] = {
      {SitePage::home, "index.html", "Lockstep", ""},
      {SitePage::lab, "labs/*.html", "", ""},
      {SitePage::story, "stories/*.html", "", ""},
      {SitePage::claims, "claims/index.html", N_("Claims put to the test"), ""},
      {SitePage::claim, "claims/*.html", "", ""},
      {SitePage::exercises, "exercises/index.html", N_("Exercises"), ""},
      {SitePage::exercise, "exercises/*.html", "", ""},
      {SitePage::glossary, "glossary.html", N_("Glossary"), ""},
      {SitePage::manual, "manual/index.html", N_("Manual"), ""},
      {SitePage::commands, "manual/commands.html", N_("The command line"), ""},
      {SitePage::files, "manual/files.html", N_("File formats"), "files.md"},
      {SitePage::writing_stories, "manual/stories.html", N_("Writing stories, claims and lectures"),
       "stories.md"},
      {SitePage::writing_exercises, "manual/exercises.html", N_("Writing an exercise"), "exercises.md"},
      {SitePage::adding_a_lab, "manual/add_a_lab.html", N_("Adding a lab"), "add_a_lab.md"},
      {SitePage::counts, "manual/counts.html", N_("How the counts are proven"), "counts.md"},
  };
  return all;
}

const SitePageName& site_page(SitePage page) {
  const auto all = site_pages();
  return *std::find_if(all.begin(), all.end(), [&](const SitePageName& one) { return one.page == page; });
}

std::string page_path(SitePage page, std::string_view name) {
  std::string path = site_page(page).path;
  if (const std::size_t star = path.find('*'); star != path.npos) path.replace(star, 1, name);
  return path;
}

std::string word_anchor(std::string_view word) {
  std::string anchor;
  for (const char c : word) anchor += c == ' ' ? '-' : c;
  return anchor;
}

}  // namespace lockstep
