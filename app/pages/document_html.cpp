#include "document_html.hpp"

#include <md4c.h>

#include <map>

#include "html.hpp"

namespace lockstep {
namespace {

class DocumentWriter {
 public:
  explicit DocumentWriter(const std::function<std::string(const std::string&)>& url) : url_(url) {}

  DocumentHtml read(std::string_view markdown) {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTML;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return me(self).enter(type, detail);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) { return me(self).leave(type); };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return me(self).enter_span(type, detail);
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) { return me(self).leave_span(type); };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return me(self).text(type, {text, size});
    };
    md_parse(markdown.data(), MD_SIZE(markdown.size()), &parser, this);
    return std::move(document_);
  }

 private:
  static DocumentWriter& me(void* self) { return *static_cast<DocumentWriter*>(self); }

  static const char* tag_of(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_UL:
        return "ul";
      case MD_BLOCK_OL:
        return "ol";
      case MD_BLOCK_LI:
        return "li";
      case MD_BLOCK_QUOTE:
        return "blockquote";
      case MD_BLOCK_P:
        return "p";
      case MD_BLOCK_THEAD:
        return "thead";
      case MD_BLOCK_TBODY:
        return "tbody";
      case MD_BLOCK_TR:
        return "tr";
      case MD_BLOCK_TD:
        return "td";
      default:
        return "";
    }
  }

  int enter(MD_BLOCKTYPE type, void* detail) {
    if (type == MD_BLOCK_H) {
      level_ = int(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level), heading_.clear(), heading_html_.clear();
    } else if (type == MD_BLOCK_CODE) {
      document_.body += "<pre tabindex=\"0\"><code>";
    } else if (type == MD_BLOCK_TABLE) {
      document_.body += "<div class=\"scrolls\" role=\"region\" tabindex=\"0\" aria-label=\"" +
                        html_text(last_heading_) + "\">\n<table>\n";
    } else if (type == MD_BLOCK_TH) {
      document_.body += "<th scope=\"col\">";
    } else if (const std::string tag = tag_of(type); !tag.empty()) {
      document_.body += "<" + tag + ">";
    }
    return 0;
  }

  int leave(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_H)
      end_heading();
    else if (type == MD_BLOCK_CODE)
      document_.body += "</code></pre>\n";
    else if (type == MD_BLOCK_TABLE)
      document_.body += "</table>\n</div>\n";
    else if (type == MD_BLOCK_TH)
      document_.body += "</th>";
    else if (const std::string tag = tag_of(type); !tag.empty())
      document_.body += "</" + tag + ">" + (type == MD_BLOCK_TD ? "" : "\n");
    return 0;
  }

  // The first one is the document's title. Others can be linked to by their words.
  void end_heading() {
    const int level = std::exchange(level_, 0);
    last_heading_ = heading_;
    if (level == 1 && document_.title.empty()) {
      document_.title = heading_;
      return;
    }
    const std::string tag = "h" + std::to_string(level);
    document_.body += "<" + tag + " id=\"" + html_text(anchor()) + "\">" + heading_html_ + "</" + tag + ">\n";
  }

  std::string anchor() {
    std::string id;
    for (const char c : heading_)
      if (const bool kept = (c & 0x80) || std::isalnum(static_cast<unsigned char>(c)); kept)
        id += char(std::tolower(static_cast<unsigned char>(c)));
      else if (!id.empty() && id.back() != '-')
        id += '-';
    while (id.ends_with('-')) id.pop_back();
    const int before = anchors_[id]++;
    return before ? id + "-" + std::to_string(before + 1) : id;
  }

  std::string& out() { return level_ ? heading_html_ : document_.body; }

  int enter_span(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_A) {
      const auto& href = static_cast<MD_SPAN_A_DETAIL*>(detail)->href;
      out() += "<a href=\"" + html_text(url_(std::string(href.text, href.size))) + "\">";
    } else {
      out() += type == MD_SPAN_EM       ? "<em>"
               : type == MD_SPAN_STRONG ? "<strong>"
               : type == MD_SPAN_CODE   ? "<code>"
                                        : "";
    }
    return 0;
  }
  int leave_span(MD_SPANTYPE type) {
    out() += type == MD_SPAN_A        ? "</a>"
             : type == MD_SPAN_EM     ? "</em>"
             : type == MD_SPAN_STRONG ? "</strong>"
             : type == MD_SPAN_CODE   ? "</code>"
                                      : "";
    return 0;
  }

  int text(MD_TEXTTYPE type, std::string_view text) {
    if (type == MD_TEXT_SOFTBR)
      text = "\n";
    else if (type == MD_TEXT_NULLCHAR)
      text = "";
    if (level_) heading_ += text;
    if (type == MD_TEXT_BR)
      out() += "<br>\n";
    else if (type == MD_TEXT_ENTITY)
      out() += text;  // it is HTML as it stands
    else
      out() += html_text(text);
    return 0;
  }

  const std::function<std::string(const std::string&)>& url_;
  DocumentHtml document_;
  int level_ = 0;  // of the heading that is read; 0: none
  std::string heading_, heading_html_, last_heading_;
  std::map<std::string, int> anchors_;
};

}  // namespace

DocumentHtml document_html(std::string_view markdown,
                           const std::function<std::string(const std::string&)>& url) {
  return DocumentWriter(url).read(markdown);
}

}  // namespace lockstep
