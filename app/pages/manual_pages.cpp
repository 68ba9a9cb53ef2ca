// The glossary, the command line from its own definitions, and the documents in docs/.
#include <cstring>

#include "app/model/embedded.hpp"
#include "app/shell/views.hpp"
#include "app/stories/markdown.hpp"
#include "document_html.hpp"
#include "html.hpp"
#include "manual.hpp"
#include "pictures.hpp"
#include "record_html.hpp"
#include "site_pages.hpp"

namespace lockstep {

extern const EmbeddedFile embedded_docs[];
extern const int embedded_docs_count;

Status write_glossary(Site& site) {
  const std::string path = page_path(SitePage::glossary);
  SiteText page{path, tr(site_page(SitePage::glossary).title), tr("The words of the field, a sentence each."),
                ""};
  page.body =
      html_element("h1", html_text(page.title)) + html_element("p", html_text(page.description), "lead");
  std::string words;
  for (const Word& word : site.glossary().words()) {
    words += "<dt id=\"" + html_text(word_anchor(word.name)) + "\">" +
             html_text(word.term.empty() ? word.name : word.term);
    if (!word.term.empty() && word.term.find(word.name) == word.term.npos)
      words += "<span class=\"other\" lang=\"en\">" + html_text(word.name) + "</span>";
    const auto picture = word_picture(site, path, word);
    if (!picture) return picture.error();
    words += "</dt>\n<dd>" + html_text(Glossary::sentence(word)) + "\n" + *picture + "</dd>\n";
  }
  page.body += html_element("dl", words, "words");
  return site.put(page);
}

namespace {

std::string options_html(const CommandInfo& command) {
  std::vector<std::vector<std::string>> rows{{html_text(tr("what is typed")), html_text(tr("what it does"))}};
  for (const auto* options : {&command.words, &command.flags})
    for (const CommandOption& option : *options)
      if (option.names.empty() || option.names.back() != "--help")
        rows.push_back(
            {"<code>" + html_text(flag_in_words(option)) + "</code>", html_with_code(tr(option.help))});
  return rows.size() == 1 ? "" : html_table(rows, command.name);
}

std::string verb_html(const CommandInfo& verb, const std::string& before) {
  std::string id = before + " " + verb.name;
  for (char& c : id)
    if (c == ' ') c = '-';
  std::string out = "<h3 id=\"" + html_text(id) + "\"><code>" + html_text(before + " " + verb.name) +
                    "</code></h3>\n" + html_element("p", html_with_code(tr(verb.help))) +
                    html_command(usage_of(verb, before)) + options_html(verb);
  for (const CommandInfo& inner : verb.verbs) out += verb_html(inner, before + " " + verb.name);
  return out;
}

std::string meanings_html(const std::string& title, const std::string& head, std::span<const Meaning> all) {
  std::vector<std::vector<std::string>> rows{{html_text(head), html_text(tr("what it means"))}};
  for (const Meaning& one : all)
    rows.push_back({"<code>" + html_text(one.name) + "</code>", html_with_code(tr(one.what))});
  return html_element("h2", html_text(title)) + html_table(rows, title);
}

std::string examples_html() {
  std::string items;
  for (const Meaning& one : command_examples())
    items += html_element("li", html_element("p", html_with_code(tr(one.what))) + html_command(one.name));
  return html_element("h2", html_text(tr("Examples"))) + html_element("ul", items, "examples");
}

std::string keys_html(const Site& site) {
  AppState state;
  state.lab = labs().front()->info().slug, state.language = site.language();
  const App app(state, nullptr);
  std::vector<std::vector<std::string>> rows{{html_text(tr("key")), html_text(tr("what it does"))}};
  for (const KeyHelp& row : key_help(app))
    rows.push_back({"<kbd>" + html_text(row.keys) + "</kbd>", html_text(row.meaning)});
  const std::string title = tr("Keys of the window");
  return html_element("h2", html_text(title)) + html_table(rows, title);
}

}  // namespace

Status write_commands(Site& site) {
  const CommandInfo& commands = site.options().commands;
  SiteText page{page_path(SitePage::commands), tr(site_page(SitePage::commands).title), tr(commands.help),
                ""};
  page.body = html_element("p", html_link(site.url(page.path, SitePage::manual), html_text(tr("Manual"))),
                           "eyebrow") +
              html_element("h1", html_text(page.title)) +
              html_element("p", html_text(page.description), "lead");
  page.body += examples_html();
  page.body += html_element("h2", html_text(tr("Verbs"))) + html_command("lockstep [FILE] [flags]") +
               options_html(commands);
  for (const CommandInfo& verb : commands.verbs) page.body += verb_html(verb, commands.name);
  page.body += keys_html(site);
  page.body += meanings_html(tr("Exit codes"), tr("code"), exit_codes());
  page.body += meanings_html(tr("Environment"), tr("variable"), environment_variables());
  page.body += meanings_html(tr("Folders of your own"), tr("folder"), folders_of_user());
  return site.put(page);
}

namespace {

// "zh/files.md" where the language has it, else the English one.
std::string_view document_text(const Site& site, const std::string& name) {
  std::string_view text;
  for (int i = 0; i < embedded_docs_count; ++i) {
    if (embedded_docs[i].name == name && text.empty()) text = embedded_docs[i].text;
    if (site.chinese() && embedded_docs[i].name == "zh/" + name) text = embedded_docs[i].text;
  }
  return text;
}

// A link from document to document, or to a page as "page:glossary.html", becomes one between pages.
std::string document_url(const std::string& from, const std::string& target) {
  const std::size_t hash = std::min(target.find('#'), target.size());
  const std::string file = target.substr(0, hash), rest = target.substr(hash);
  for (const SitePageName& page : site_pages())
    if (*page.document && file == page.document) return Site::relative_to(from, page.path) + rest;
  if (file.starts_with("page:")) return Site::relative_to(from, file.substr(5)) + rest;
  return target;
}

Status write_document(Site& site, const SitePageName& name) {
  const std::string_view text = document_text(site, name.document);
  if (text.empty()) return bad_input("docs/{0} is not in this program", {name.document});
  SiteText page{name.path, tr(name.title), tr(name.title), ""};
  const DocumentHtml document =
      document_html(text, [&](const std::string& target) { return document_url(page.path, target); });
  page.title = document.title.empty() ? page.title : document.title;
  page.body = html_element("p", html_link(site.url(page.path, SitePage::manual), html_text(tr("Manual"))),
                           "eyebrow") +
              html_element("h1", html_text(page.title)) + document.body;
  if (name.page == SitePage::counts) {
    const auto record = records_html(site.options().validations);
    if (!record) return record.error();
    page.body += *record;
  }
  return site.put(page);
}

}  // namespace

Status write_manual(Site& site) {
  const std::string path = page_path(SitePage::manual);
  SiteText page{
      path, tr(site_page(SitePage::manual).title),
      tr("The command line, file formats, writing stories and exercises, and how the counts are proven."),
      ""};
  std::string items = html_element("li", html_link(site.url(path, SitePage::commands),
                                                   html_text(tr(site_page(SitePage::commands).title))));
  for (const SitePageName& name : site_pages()) {
    if (!*name.document) continue;
    items += html_element("li", html_link(site.url(path, name.page), html_text(tr(name.title))));
    if (Status written = write_document(site, name); !written) return written;
  }
  page.body = html_element("h1", html_text(page.title)) +
              html_element("p", html_text(page.description), "lead") + html_element("ul", items, "list");
  return site.put(page);
}

}  // namespace lockstep
