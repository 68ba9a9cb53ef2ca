// A story's texts as HTML with every figure computed; the glossary's words are links where they stand first.
#pragma once
#include <optional>
#include <set>
#include <string>

#include "app/stories/story.hpp"
#include "site.hpp"

namespace lockstep {

class PageTexts {
 public:
  // `path`: of the page. `figures` can be changed: an exercise has others for each part.
  PageTexts(const Site& site, std::string path, FigureSource& figures)
      : site_(site), path_(std::move(path)), figures_(&figures) {}
  void use(FigureSource& figures) { figures_ = &figures; }

  std::string text(const InlineText& pieces);
  std::string paragraphs(const std::vector<Paragraph>& all);  // with lists, and labels as headings
  std::string plain(const InlineText& pieces);                // no HTML yet

  // The first mistake of an author's; what follows it is not computed.
  const std::optional<Error>& fault() const { return fault_; }
  void keep(const Error& error) {
    if (!fault_) fault_ = error;
  }

 private:
  std::string with_terms(std::string_view text);
  std::string figure(const Inline& piece);

  const Site& site_;
  const std::string path_;
  FigureSource* figures_;
  std::set<std::size_t> linked_;  // words of the glossary
  std::optional<Error> fault_;
};

}  // namespace lockstep
