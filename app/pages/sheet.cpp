#include "sheet.hpp"

#include <cstdio>

#include "app/draw/theme.hpp"

namespace lockstep {
namespace {

std::string css(Color color) {
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", color.r, color.g, color.b);
  return text;
}

// The theme's colours by their names there; words that are pressed or name trouble take the tints that read well.
std::string variables(const Theme& theme) {
  std::string out;
  const auto add = [&](const char* name, Color color) { out += std::string("--") + name + ":" + css(color) + ";"; };
  add("ground", theme.ground), add("panel", theme.panel), add("line", theme.line), add("ink", theme.ink);
  add("dim", theme.dim), add("soft", theme.soft), add("highlight", theme.highlight), add("accent", theme.accent);
  add("on-accent", Theme::on(theme.accent)), add("link", theme.readable(color::hbm));
  add("trouble", theme.readable(color::trouble));
  return out;
}

std::string font_face(const WebFont& font) {
  return "@font-face{font-family:\"" + font.family + "\";font-weight:" + std::to_string(font.weight) +
         ";font-display:swap;src:url(" + font.file + ") format(\"" + (font.cff ? "opentype" : "truetype") + "\")}\n";
}

constexpr const char* kSheet = R"(
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;background:var(--ground);color:var(--ink);font:400 1rem/1.65 var(--words);overflow-wrap:break-word}
:lang(zh){line-height:1.8}
a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:.18em}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:3px}
h1,h2,h3{font-weight:600;line-height:1.3;text-wrap:balance}
h1{font-size:1.85rem;margin:.2rem 0 .6rem;letter-spacing:-.012em}
h2{font-size:1.28rem;margin:3.2rem 0 .8rem}
h3{font-size:1rem;margin:1.8rem 0 .5rem}
p,ul,ol,dl,table,pre{margin:0 0 1rem}
ul,ol{padding-left:1.4rem}
li{margin:.3rem 0}
code,pre,kbd,.number{font-family:var(--mono);font-size:.875em;font-variant-numeric:tabular-nums}
code{background:var(--soft);border-radius:4px;padding:.08em .3em}
pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.8rem 1rem;overflow-x:auto;line-height:1.55}
pre code{background:none;padding:0;font-size:1em}
pre.command{white-space:pre-wrap;overflow-wrap:anywhere}
kbd{border:1px solid var(--line);border-radius:4px;padding:.05em .4em;background:var(--panel);white-space:nowrap}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:.5rem;background:var(--panel);padding:.5rem 1rem;z-index:1}
.top{background:var(--panel);border-bottom:1px solid var(--line)}
.top>div{max-width:66rem;margin:auto;padding:.7rem 1.5rem;display:flex;flex-wrap:wrap;gap:.3rem 1.4rem;align-items:center}
.top a{color:var(--dim);text-decoration:none;font-size:.875rem;padding:.3rem 0}
.top a:hover,.top a[aria-current]{color:var(--ink)}
.top a[aria-current]{font-weight:600}
.top .brand{color:var(--ink);font-weight:600;font-size:1rem;margin-right:.6rem}
.top .room{flex:1}
a.button,.top a.button{display:inline-block;background:var(--accent);color:#fff;border-radius:6px;padding:.45rem 1rem;text-decoration:none;font-weight:600;font-size:.875rem}
a.button:hover{filter:brightness(1.08)}
a.quiet{display:inline-block;border:1px solid var(--line);background:var(--panel);color:var(--ink);border-radius:6px;padding:.45rem 1rem;text-decoration:none;font-size:.875rem}
a.quiet:hover{border-color:var(--dim)}
main{max-width:49rem;margin:0 auto;padding:2.6rem 1.5rem 4rem}
main.broad{max-width:66rem}
.eyebrow,.label{font-size:.72rem;font-weight:600;letter-spacing:.06em;text-transform:uppercase;color:var(--dim);margin:0 0 .2rem}
:lang(zh) .eyebrow,:lang(zh) .label{letter-spacing:.02em;font-size:.8rem}
.eyebrow a{color:inherit}
.lead{font-size:1.12rem;color:var(--dim);max-width:44rem}
.meta,figcaption,.small{font-size:.84rem;color:var(--dim);line-height:1.55}
.actions{display:flex;flex-wrap:wrap;gap:.7rem;margin:1.4rem 0 0;padding:0;list-style:none}
.actions li{margin:0}
a.term{color:inherit;text-decoration:underline dotted var(--dim) 1px}
a.term:hover{color:var(--link)}
.contents{columns:2 17rem;column-gap:2.5rem;font-size:.9rem;margin-top:1.6rem}
.contents li{break-inside:avoid}
section.scene{margin-top:3.6rem;padding-top:.2rem;border-top:1px solid var(--line)}
section.scene h2{margin-top:1.6rem}
h2 .count{color:var(--dim);font-weight:400;margin-right:.6rem}
figure{margin:1.6rem 0;background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:1rem}
figure img{display:block;width:100%;height:auto}
figure picture{display:block}
figcaption{margin-top:.8rem;padding-top:.7rem;border-top:1px solid var(--line)}
figcaption p{margin:0 0 .3rem}
figcaption .where{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:.5rem 0 0}
@media (min-width:66rem){figure.wide{margin-inline:calc(50% - min(31rem,50vw - 2rem))}}
.ask{background:var(--panel);border:1px solid var(--line);border-left:3px solid var(--accent);border-radius:6px;padding:1.1rem 1.3rem;margin:1.6rem 0 1rem}
.ask .question{font-weight:600;margin-bottom:.7rem}
.ask>:last-child{margin-bottom:0}
.options{list-style:upper-alpha;padding-left:1.6rem}
details{margin:.4rem 0}
summary{cursor:pointer;color:var(--link);padding:.45rem 0;font-size:.93rem;width:fit-content}
summary:hover{text-decoration:underline;text-underline-offset:.18em}
details.answer{border-left:1px solid var(--line);padding-left:1.3rem;margin:1rem 0}
details.answer>summary{font-weight:600}
.answer-value{font-weight:600}
.tempting{color:var(--dim)}
.tempting dt{font-weight:600;color:var(--ink)}
.tempting dd{margin:0 0 .6rem}
.says{background:var(--soft);border-radius:6px;padding:.8rem 1rem;font-size:.9rem}
.says p{margin:0 0 .3rem}
.says p:last-child{margin:0}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:1rem;padding:0;margin:1.2rem 0;list-style:none}
.card{background:var(--panel);border:1px solid var(--line);border-radius:6px;margin:0;display:flex;flex-direction:column;overflow:hidden;position:relative}
.card:hover,.card:focus-within{border-color:var(--dim)}
.card picture{display:block;background:var(--soft);border-bottom:1px solid var(--line);padding:.4rem}
.card img{display:block;width:100%;height:auto}
.card div{padding:.9rem 1rem 1rem}
.card h3{margin:0 0 .3rem;font-size:1rem}
.card h3 a{color:var(--ink);text-decoration:none}
.card h3 a::after{content:"";position:absolute;inset:0}
.card p{margin:0;font-size:.86rem;color:var(--dim);line-height:1.5}
.card .meta{margin-top:.5rem;font-size:.8rem}
.list{list-style:none;padding:0}
.list li{padding:.85rem 0;border-top:1px solid var(--line);margin:0}
.list li:last-child{border-bottom:1px solid var(--line)}
.list a{font-weight:600;text-decoration:none}
.list a:hover{text-decoration:underline}
.list p{margin:.15rem 0 0;font-size:.88rem;color:var(--dim)}
.scrolls{overflow-x:auto;margin:0 0 1.4rem}
table{border-collapse:collapse;font-size:.88rem;width:100%;margin:0}
th{text-align:left;font-weight:600;color:var(--dim);font-size:.8rem}
th,td{padding:.5rem .9rem .5rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td.number,th.number{text-align:right;white-space:nowrap}
td code{white-space:nowrap}
td.flags code{white-space:normal}
dl.words dt{font-weight:600;margin-top:1.6rem}
dl.words dt:target{background:var(--highlight)}
dl.words dd{margin:.2rem 0 0}
dl.words .other{font-weight:400;color:var(--dim);font-size:.88rem;margin-left:.5rem}
dl.words picture{display:block;margin:.6rem 0 0}
dl.words img{display:block;max-width:100%;height:auto}
.verdict{font-weight:600}
.bottom{border-top:1px solid var(--line)}
.bottom>div{max-width:66rem;margin:auto;padding:1.4rem 1.5rem 2.4rem;font-size:.8rem;color:var(--dim);line-height:1.6}
.turn{display:flex;flex-wrap:wrap;justify-content:space-between;gap:1rem;margin-top:3.6rem;padding-top:1.2rem;border-top:1px solid var(--line);font-size:.93rem}
@media (max-width:37rem){body{font-size:.97rem}main{padding:1.6rem 1.1rem 3rem}.top>div{padding:.6rem 1.1rem}h1{font-size:1.5rem}h2{font-size:1.15rem}.ask{padding:.9rem 1rem}figure{padding:.6rem;margin-inline:-.5rem}section.scene{margin-top:2.4rem}.bottom>div{padding-inline:1.1rem}}
@media print{.top,.skip,.bottom,.where,.actions{display:none}body{background:#fff}figure,.ask,section.scene{break-inside:avoid}}
)";

}  // namespace

std::string style_sheet(const std::vector<WebFont>& fonts) {
  std::string sheet;
  for (const WebFont& font : fonts) sheet += font_face(font);
  constexpr const char* kChinese =
      "\"PingFang SC\",\"Noto Sans CJK SC\",\"Noto Sans SC\",\"Microsoft YaHei\",\"WenQuanYi Micro Hei\"";
  const std::string families =
      std::string("--words:\"Lockstep Words\",Inter,system-ui,") + kChinese +
      ",sans-serif;--mono:\"Lockstep Mono\",\"JetBrains Mono\",ui-monospace,monospace," + kChinese + ";";
  return sheet + ":root{" + variables(light_theme()) + families + "}\n@media (prefers-color-scheme:dark){:root{" +
         variables(dark_theme()) + "}}" + kSheet;
}

}  // namespace lockstep
