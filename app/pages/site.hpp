// The web site beside the program: what its pages are made from, and where they go.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/draw/language.hpp"
#include "app/stories/bookshelf.hpp"
#include "app/stories/page_names.hpp"
#include "app/stories/story_figures.hpp"
#include "command_info.hpp"

namespace lockstep {

struct SiteOptions {
  std::filesystem::path folder;
  std::string app;  // where the program is on the web; "" = app/ beside the pages
  std::vector<std::filesystem::path> stories, exercises;          // folders
  RunSources sources;                                             // of every figure
  std::function<std::vector<Run>(const std::string& lab)> timed;  // recorded runs that hold a time
  // The records of what was compared with GPUs' counters; there may be none.
  std::vector<std::filesystem::path> validations;
  CommandInfo commands;
  // Told what comes next; false ends it all.
  std::function<bool(const std::string& what)> report = [](const std::string&) { return true; };
};

// Nothing but the site's own files, and no script at all.
constexpr const char* kSitePolicy =
    "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action "
    "'none'";

struct SiteSize {
  int pages = 0, pictures = 0;
};
// Everything in both languages. An error is that of the first thing that cannot be made, and names it.
Result<SiteSize> write_site(const SiteOptions& options);

// One page; texts are HTML but for `title` and `description`.
struct SiteText {
  std::string path;  // below the language's folder: "stories/transpose.html"
  std::string title, description;
  std::string body;
  bool broad = false;  // cards beside each other
};

// The files of a site while they are written: each once.
class SiteFolder {
 public:
  explicit SiteFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Status put(const std::string& path, std::string_view bytes);
  void note_text(std::string_view utf8);  // its characters, for the fonts
  Status put_sheet_and_fonts();
  const SiteSize& size() const { return size_; }

 private:
  std::filesystem::path folder_;
  std::set<std::filesystem::path> made_;
  std::set<char32_t> characters_;
  SiteSize size_;
};

// One language of it. That language is in use from its making on.
class Site {
 public:
  static Result<std::unique_ptr<Site>> open(const SiteOptions& options, SiteFolder& folder,
                                            Language language);

  const SiteOptions& options() const { return options_; }
  Language language() const { return language_; }
  bool chinese() const { return language_ == Language::chinese; }
  const char* code() const { return code_of(language_); }
  const StoryShelf& shelf() const { return stories_->shelf; }
  const std::vector<Exercise>& exercises() const { return exercises_->exercises; }
  const Glossary& glossary() const { return stories_->glossary; }
  const std::shared_ptr<Bookshelf>& bookshelf() const { return bookshelf_; }
  const Story* story_of(const std::string& lab) const;

  Status put(const SiteText& page);
  Status put_picture(const std::string& path, const std::string& svg);  // below the language's folder

  // URLs on the page at `from`; paths are below the language's folder.
  static std::string url(const std::string& from, SitePage page, std::string_view name = "") {
    return relative_to(from, page_path(page, name));
  }
  static std::string relative_to(const std::string& from, const std::string& to);
  // The program itself, at a scene (its text as JSON) or, without one, as it opens.
  std::string app_url(const std::string& from, const std::string& scene = "") const;

 private:
  Site(const SiteOptions& options, SiteFolder& folder, Language language)
      : options_(options), folder_(folder), language_(language) {}
  std::string document(const SiteText& page) const;
  std::string head(const SiteText& page) const;
  std::string top(const SiteText& page) const;
  std::string bottom() const;

  const SiteOptions& options_;
  SiteFolder& folder_;
  Language language_;
  std::shared_ptr<Bookshelf> bookshelf_ = std::make_shared<Bookshelf>();
  std::shared_ptr<const StoriesRead> stories_;
  std::shared_ptr<const ExerciseShelf> exercises_;
};

}  // namespace lockstep
