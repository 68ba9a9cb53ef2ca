#include "html.hpp"
#include "pictures.hpp"
#include "site_pages.hpp"

namespace lockstep {
namespace {

constexpr Language kLanguages[] = {Language::english, Language::chinese};

// Runs are asked for in both languages and both themes: those of the lab at hand are kept.
class KeptRuns {
 public:
  explicit KeptRuns(RunSources sources) : sources_(std::move(sources)) {}

  RunSources sources() {
    return {[this](const Request& request) { return run(request); }, sources_.recorded};
  }
  void forget() { runs_.clear(); }

 private:
  Result<Run> run(const Request& request) {
    for (const auto& [asked, run] : runs_)
      if (asked == request) return run;
    auto run = sources_.run(request);
    // Of an emulated run the machine and the day are no part of what a page says.
    if (run && run->engine == EngineKind::emulator) run->device.name.clear(), run->date.clear();
    runs_.emplace_back(request, run);
    return run;
  }

  RunSources sources_;
  std::vector<std::pair<Request, Result<Run>>> runs_;
};

// What stands above the languages: which of them.
Status write_entrance(SiteFolder& folder, const std::string& app) {
  const auto card = [](const char* url, const char* lang, const char* title, const char* text) {
    return "<li class=\"card\" lang=\"" + std::string(lang) + "\"><div><h3><a href=\"" + url +
           "\" hreflang=\"" + lang + "\">" + title + "</a></h3><p>" + text + "</p></div></li>\n";
  };
  return folder.put(
      "index.html",
      std::string("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"") +
          html_text(kSitePolicy) +
          "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<title>Lockstep</title>\n"
          "<meta name=\"description\" content=\"Real CUDA kernels, one step at a time\">\n"
          "<link rel=\"stylesheet\" href=\"style.css\">\n</head>\n<body>\n<main>\n<h1>Lockstep</h1>\n"
          "<p class=\"lead\">Real CUDA kernels, one step at a time.<br><span lang=\"zh-Hans\">逐步执行真实的 "
          "CUDA "
          "核函数。</span></p>\n<ul class=\"cards\">\n" +
          card("en/index.html", "en", "English", "Stories, exercises, claims, glossary, manual") +
          card("zh/index.html", "zh-Hans", "简体中文", "故事、练习、说法、词汇表、手册") +
          "</ul>\n<ul class=\"actions\"><li><a class=\"button\" href=\"" +
          html_text(app.empty() ? "app/" : app) +
          "\">Lockstep · <span lang=\"zh-Hans\">打开程序</span></a></li></ul>\n</main>\n</body>\n</html>\n");
}

Status write_lists(Site& site) {
  for (const auto write :
       {write_home, write_claims, write_exercises, write_glossary, write_commands, write_manual})
    if (Status written = write(site); !written) return written;
  return Unit{};
}

}  // namespace

Result<SiteSize> write_site(const SiteOptions& given) {
  KeptRuns runs(given.sources);
  SiteOptions options = given;
  options.sources = runs.sources();
  SiteFolder folder(options.folder);
  const auto in_both = [&](const std::function<Status(Site&)>& write) -> Status {
    for (const Language language : kLanguages) {
      auto site = Site::open(options, folder, language);
      if (!site) return site.error();
      if (Status written = write(**site); !written) return written;
    }
    return Unit{};
  };
  for (const Lab* lab : labs()) {
    const std::string slug = lab->info().slug;
    if (!options.report(slug)) return worker_error("the pages were not finished: interrupted");
    if (Status written = in_both([&](Site& site) { return write_labs(site, slug); }); !written)
      return written.error();
    runs.forget();
  }
  if (!options.report("")) return worker_error("the pages were not finished: interrupted");
  if (Status written = in_both(write_lists); !written) return written.error();
  if (Status written = write_entrance(folder, options.app); !written) return written.error();
  if (Status written = folder.put_sheet_and_fonts(); !written) return written.error();
  return folder.size();
}

}  // namespace lockstep
