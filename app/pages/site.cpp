#include "site.hpp"

#include "app/draw/text_metrics.hpp"
#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "app/shell/font_subset.hpp"
#include "html.hpp"
#include "sheet.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

Status SiteFolder::put(const std::string& path, std::string_view bytes) {
  const fs::path file = folder_ / path;
  if (made_.insert(file.parent_path()).second)
    if (Status made = make_output_folder(file.parent_path()); !made) return made;
  if (path.ends_with(".html")) ++size_.pages, note_text(bytes);
  if (path.ends_with(".svg")) ++size_.pictures;
  return write_file_atomically(file, bytes_of(bytes));
}

void SiteFolder::note_text(std::string_view utf8) {
  constexpr char32_t kFirst = 0x20, kChinese = 0x2E80;  // the system's own fonts have that
  while (!utf8.empty())
    if (const char32_t c = take_code_point(utf8); c >= kFirst && c < kChinese) characters_.insert(c);
}

Status SiteFolder::put_sheet_and_fonts() {
  struct Face {
    const char* family;
    Font font;
    const char* file;
    int weight;
  };
  constexpr Face kFaces[] = {{"Lockstep Words", Font::words, "fonts/words", 400},
                             {"Lockstep Words", Font::words_semibold, "fonts/words-semibold", 600},
                             {"Lockstep Mono", Font::mono, "fonts/mono", 400}};
  std::vector<WebFont> fonts;
  for (const Face& face : kFaces) {
    const auto bytes = font_with(face.font, characters_);
    if (bytes.empty()) continue;  // the page falls back to the system's
    const bool cff = has_cff_outlines(bytes);
    fonts.push_back({face.family, std::string(face.file) + (cff ? ".otf" : ".ttf"), face.weight, cff});
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (Status put_it = put(fonts.back().file, text); !put_it) return put_it;
  }
  return put("style.css", style_sheet(fonts));
}

Result<std::unique_ptr<Site>> Site::open(const SiteOptions& options, SiteFolder& folder, Language language) {
  std::unique_ptr<Site> site(new Site(options, folder, language));
  if (Status used = use_language(language, assets_folder() / "locale"); !used) return used.error();
  site->stories_ = site->bookshelf_->stories(options.stories, site->code());
  site->exercises_ = site->bookshelf_->exercises(options.exercises, site->code());
  for (const auto* faults : {&site->shelf().faults, &site->exercises_->faults})
    if (!faults->empty()) return faults->front();
  if (site->stories_->glossary_fault) return *site->stories_->glossary_fault;
  return site;
}

const Story* Site::story_of(const std::string& lab) const {
  for (const Story& story : shelf().stories)
    if (story.lab == lab && !story.scenes.empty()) return &story;
  return nullptr;
}

std::string Site::relative_to(const std::string& from, const std::string& to) {
  const std::string url = relative_url(from, to);
  return url.empty() ? to.substr(to.rfind('/') + 1) : url;  // the page itself, by its file
}

std::string Site::app_url(const std::string& from, const std::string& scene) const {
  const std::string beside = relative_url("x/" + from, "app/index.html");  // "x/": the language's folder
  const std::string base = options_.app.empty() ? beside.substr(0, beside.rfind('/') + 1) : options_.app;
  return scene.empty() ? base : base + "#" + url_text(scene);
}

Status Site::put(const SiteText& page) {
  return folder_.put(std::string(code()) + "/" + page.path, document(page));
}

Status Site::put_picture(const std::string& path, const std::string& svg) {
  return folder_.put(std::string(code()) + "/" + path, svg);
}

std::string Site::head(const SiteText& page) const {
  const std::string other = std::string("../") + (chinese() ? "en/" : "zh/");
  std::string up = relative_url("x/" + page.path, "");
  std::string out = "<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"" +
                    html_text(kSitePolicy) + "\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  const bool home = page.path == page_path(SitePage::home);
  out += "<title>" + html_text(home ? page.title : page.title + " · Lockstep") + "</title>\n";
  out += "<meta name=\"description\" content=\"" + html_text(page.description) + "\">\n";
  out += "<link rel=\"alternate\" hreflang=\"" + std::string(chinese() ? "en" : "zh-Hans") + "\" href=\"" +
         up + other.substr(3) + page.path + "\">\n";
  return out + "<link rel=\"stylesheet\" href=\"" + up + "style.css\">\n";
}

std::string Site::top(const SiteText& page) const {
  const auto link = [&](SitePage to, const std::string& words) {
    const std::string path = page_path(to);
    const bool folder = path.find('/') != path.npos;
    const bool here =
        page.path == path || (folder && page.path.starts_with(path.substr(0, path.find('/') + 1)));
    return "<a href=\"" + url(page.path, to) + "\"" + (here ? " aria-current=\"true\"" : "") + ">" +
           html_text(words) + "</a>\n";
  };
  std::string out = "<a class=\"skip\" href=\"#text\">" + html_text(tr("Skip to the text")) +
                    "</a>\n<header class=\"top\"><div>\n";
  out += html_link(url(page.path, SitePage::home), "Lockstep", "brand") + "\n";
  out += link(SitePage::claims, tr("Claims")) + link(SitePage::exercises, tr("Exercises")) +
         link(SitePage::glossary, tr("Glossary")) + link(SitePage::manual, tr("Manual"));
  const std::string other = relative_url("x/" + page.path, "") + (chinese() ? "en/" : "zh/") + page.path;
  out += "<a href=\"" + other + "\" hreflang=\"" + (chinese() ? "en" : "zh-Hans") + "\" lang=\"" +
         (chinese() ? "en" : "zh-Hans") + "\">" + (chinese() ? "English" : "简体中文") + "</a>\n";
  return out + html_link(app_url(page.path), html_text(tr("Open Lockstep")), "button") +
         "\n</div></header>\n";
}

std::string Site::bottom() const {
  return "<footer class=\"bottom\"><div>" +
         html_text(tr(
             "Every picture and number on these pages was made by Lockstep when the site was written: counts "
             "by "
             "its emulator, times from recordings that name their GPU and date. The pages use no script and "
             "send nothing.")) +
         "</div></footer>\n";
}

std::string Site::document(const SiteText& page) const {
  return std::string("<!DOCTYPE html>\n<html lang=\"") + (chinese() ? "zh-Hans" : "en") + "\">\n<head>\n" +
         head(page) + "</head>\n<body>\n" + top(page) + "<main id=\"text\"" +
         (page.broad ? " class=\"broad\"" : "") + ">\n" + page.body + "</main>\n" + bottom() +
         "</body>\n</html>\n";
}

}  // namespace lockstep
