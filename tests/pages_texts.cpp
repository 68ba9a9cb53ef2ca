// HTML, the documents in docs/, and the names of pages.
#include <doctest/doctest.h>

#include <set>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/theme.hpp"
#include "app/pages/document_html.hpp"
#include "app/pages/html.hpp"
#include "app/pages/sheet.hpp"
#include "app/pages/two_themes.hpp"
#include "app/stories/page_names.hpp"

using namespace lockstep;

TEST_CASE("text cannot become a tag, an attribute's end or an entity") {
  CHECK(html_text("<b a=\"1\">&amp;") == "&lt;b a=&quot;1&quot;&gt;&amp;amp;");
  CHECK(html_with_code("see `a<b` and `c") == "see <code>a&lt;b</code> and `c");
  CHECK(url_text("{\"n\":1}") == "%7B%22n%22%3A1%7D");
}

TEST_CASE("a link is as short as it can be, from any folder to any other") {
  CHECK(relative_url("en/stories/a.html", "style.css") == "../../style.css");
  CHECK(relative_url("stories/a.html", "stories/b.html") == "b.html");
  CHECK(relative_url("index.html", "labs/a.html") == "labs/a.html");
  CHECK(relative_url("labs/a.html", "claims/b.html") == "../claims/b.html");
}

TEST_CASE("a document becomes HTML: tables, links, code; what looks like HTML is text") {
  const auto url = [](const std::string& target) {
    return target == "a.md" ? std::string("a.html") : target;
  };
  const DocumentHtml made = document_html(
      "# Title\n\n## A part\n\nSee [there](a.md) and `x < y`.\n\n| a | b |\n|---|---|\n| 1 | *2* "
      "|\n\n<script>\n\n```\na & b\n```\n",
      url);
  CHECK(made.title == "Title");
  CHECK(made.body.find("<h2 id=\"a-part\">A part</h2>") != std::string::npos);
  CHECK(made.body.find("<a href=\"a.html\">there</a> and <code>x &lt; y</code>") != std::string::npos);
  CHECK(made.body.find("<th scope=\"col\">a</th>") != std::string::npos);
  CHECK(made.body.find("<td><em>2</em></td>") != std::string::npos);
  CHECK(made.body.find("&lt;script&gt;") != std::string::npos);
  CHECK(made.body.find("a &amp; b\n</code></pre>") != std::string::npos);
}

TEST_CASE("headings of the same words are two places") {
  const DocumentHtml made = document_html("# T\n## Same\n## Same\n", [](const std::string& t) { return t; });
  CHECK(made.body.find("id=\"same\"") != std::string::npos);
  CHECK(made.body.find("id=\"same-2\"") != std::string::npos);
}

TEST_CASE("the style sheet has the colours of both themes, and no other server's fonts") {
  const std::string sheet = style_sheet({{"Lockstep Words", "fonts/words.otf", 400, true}});
  CHECK(sheet.find("--ground:#f4f4f1") != std::string::npos);
  const std::size_t dark = sheet.find("prefers-color-scheme:dark");
  CHECK(sheet.find("--ground:#111417") > dark);
  CHECK(sheet.find("url(fonts/words.otf) format(\"opentype\")") != std::string::npos);
}

TEST_CASE("pages have different paths") {
  std::set<std::string> paths;
  for (const SitePageName& page : site_pages()) CHECK(paths.insert(page.path).second);
  CHECK(page_path(SitePage::story, "banks") == "stories/banks.html");
  CHECK(word_anchor("bank conflict") == "bank-conflict");
}

TEST_CASE("two drawings of one shape are one, whose colours follow the theme") {
  const auto drawn = [](Color ink, Color ground) {
    SvgCanvas canvas(40, 20, ground);
    canvas.fill_rect({2, 2, 10, 10}, ink, 0);
    canvas.fill_rect({20, 2, 10, 10}, color::hbm, 0);  // the same in both
    canvas.text({2, 10}, "a & b", {Font::words, 10, ink});
    return canvas.finish();
  };
  const std::string one = two_themes(drawn(light_theme().ink, light_theme().ground),
                                     drawn(dark_theme().ink, dark_theme().ground));
  CHECK(one.find("@media (prefers-color-scheme:dark){\n.p0{fill:#111417}\n.p1{fill:#e8eaec}\n}") !=
        std::string::npos);
  CHECK(one.find("width=\"10\" height=\"10\" fill=\"#1e2124\" class=\"p1\"/>") != std::string::npos);
  CHECK(one.find("fill=\"#0072b2\"/>") != std::string::npos);  // no class
  CHECK(one.find(">a &amp; b</text>") != std::string::npos);
  CHECK(one.find("class=\"d\"") == std::string::npos);
}

TEST_CASE("two drawings of different shapes stand in one file, and one of them is seen") {
  const auto drawn = [](bool dark) {
    SvgCanvas canvas(40, 20, dark ? dark_theme().ground : light_theme().ground);
    canvas.push_clip({0, 0, 20, 20});
    canvas.fill_rect({2, 2, 10, 10}, color::hbm, 0);
    if (dark) canvas.fill_circle({5, 5}, 2, color::hbm);
    canvas.pop_clip();
    return canvas.finish();
  };
  const std::string one = two_themes(drawn(false), drawn(true));
  CHECK(one.find("<g class=\"l\">") != std::string::npos);
  CHECK(one.find("<g class=\"d\">") != std::string::npos);
  CHECK(one.find(".d{display:none}") < one.find("@media"));
  CHECK(one.find("id=\"clip0\"") != std::string::npos);
  CHECK(one.find("id=\"dclip0\"") != std::string::npos);  // not the light one's
  CHECK(one.find("url(#dclip0)") != std::string::npos);
}
