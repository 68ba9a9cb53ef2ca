#include "page_texts.hpp"

#include <cctype>

#include "app/stories/story_text.hpp"
#include "html.hpp"

namespace lockstep {
namespace {

// A claim's section as the window's card calls it: "MODEL".
std::string label_words(std::string label) {
  for (char& c : label) c = char(std::toupper(static_cast<unsigned char>(c)));
  return tr(label);
}

}  // namespace

std::string PageTexts::figure(const Inline& piece) {
  if (fault_) return "";
  auto text = figure_text(piece, *figures_);
  if (text) return *text;
  keep(text.error());
  return "";
}

// Of each word its first place on the page.
std::string PageTexts::with_terms(std::string_view text) {
  std::string out;
  std::size_t from = 0;
  for (const TermSpan& span : site_.glossary().find(text)) {
    if (!linked_.insert(span.word).second) continue;
    const Word& word = site_.glossary().words()[span.word];
    const std::string url = Site::url(path_, SitePage::glossary) + "#" + word_anchor(word.name);
    out += html_text(text.substr(from, span.begin - from)) + "<a class=\"term\" href=\"" + html_text(url) +
           "\" title=\"" + html_text(Glossary::sentence(word)) + "\">" +
           html_text(text.substr(span.begin, span.end - span.begin)) + "</a>";
    from = span.end;
  }
  return out + html_text(text.substr(from));
}

std::string PageTexts::text(const InlineText& pieces) {
  std::string out;
  for (const Inline& piece : pieces) switch (piece.kind) {
      case Inline::Kind::figure:
        out += html_text(figure(piece));
        break;
      case Inline::Kind::code:
        out += "<code>" + html_text(piece.text) + "</code>";
        break;
      case Inline::Kind::emphasis:
        out += "<em>" + with_terms(piece.text) + "</em>";
        break;
      case Inline::Kind::strong:
        out += "<strong>" + with_terms(piece.text) + "</strong>";
        break;
      case Inline::Kind::text:
        out += with_terms(piece.text);
        break;
    }
  return out;
}

std::string PageTexts::plain(const InlineText& pieces) {
  std::string out;
  for (const Inline& piece : pieces) out += piece.kind == Inline::Kind::figure ? figure(piece) : piece.text;
  return out;
}

std::string PageTexts::paragraphs(const std::vector<Paragraph>& all) {
  std::string out;
  bool in_list = false;
  for (const Paragraph& one : all) {
    if (in_list && (!one.bullet || !one.label.empty())) out += "</ul>\n", in_list = false;
    if (!one.label.empty()) out += html_element("h3", html_text(label_words(one.label)), "label");
    if (one.bullet && !in_list) out += "<ul>\n", in_list = true;
    out += html_element(one.bullet ? "li" : "p", text(one.pieces));
  }
  return out + (in_list ? "</ul>\n" : "");
}

}  // namespace lockstep
