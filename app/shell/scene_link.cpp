#include "scene_link.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace lockstep {
namespace {

constexpr std::size_t kMostCharacters = 8000;  // what every browser and most messengers carry
constexpr std::string_view kWords[] = {"at",       "step",  "block", "warp",    "compare", "pin",
                                       "timeline", "theme", "lang",  "present", "story"};

// Percent-encoded but for what an address may hold as it is.
std::string encoded(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~,/:@*()'!";
  constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text)
    if (plain.find(c) != plain.npos)
      out += c;
    else
      out += {'%', digits[static_cast<unsigned char>(c) >> 4], digits[static_cast<unsigned char>(c) & 15]};
  return out;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit_of(text[i + 1]) : -1,
              low = high < 0 ? -1 : digit_of(text[i + 2]);
    if (low < 0) return {};
    out += char(high * 16 + low);
    i += 2;
  }
  return out;
}

Error wrong(const char* id, std::string_view value) { return bad_input(id, {std::string(value)}); }

std::optional<std::int64_t> whole(std::string_view text, std::int64_t most) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || value < 0 || value > most) return {};
  return value;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

constexpr std::int64_t kMostBlocks = std::int64_t{1} << 53;

Status take_pin(std::string_view value, SceneFile& scene) {
  const auto comma = value.find(',');
  const auto view = whole(value.substr(0, comma), UINT16_MAX);
  const auto element = comma == value.npos ? std::nullopt : whole(value.substr(comma + 1), kMostBlocks);
  if (!view || !element)
    return wrong(N_("the link cannot be read: '{0}' is no pinned element, as 1,513 is"), value);
  scene.pinned = {std::uint16_t(*view), std::uint64_t(*element)};
  return Unit{};
}

Status take_timeline(const std::string& value, SceneFile& scene) {
  const auto view = parse_timeline(value, "timeline");
  if (!view) return view.error();
  scene.timeline = *view;
  return Unit{};
}

// One of the words of a link.
Status take_word(const std::string& name, const std::string& value, SceneLink& link) {
  SceneFile& scene = *link.scene;
  const auto number = [&](std::int64_t most, auto& into) -> Status {
    const auto read = whole(value, most);
    if (!read)
      return wrong(N_("the link cannot be read: in '{0}' a whole number from 0 on has to stand"),
                   name + "=" + value);
    into = std::remove_reference_t<decltype(into)>(*read);
    return Unit{};
  };
  if (name == "at") {
    scene.at = parse_step_key(value);
    if (!scene.at)
      return wrong(N_("the link cannot be read: '{0}' is no name of a step, as in \"write out, warp 4\""),
                   value);
    return Unit{};
  }
  if (name == "step") return number(INT32_MAX, scene.step);
  if (name == "block") return number(kMostBlocks, scene.block);
  if (name == "warp") return number(kMostBlocks, scene.warp);
  if (name == "pin") return take_pin(value, scene);
  if (name == "timeline") return take_timeline(value, scene);
  if (name == "compare") return scene.compare = value, Status(Unit{});
  if (name == "story") {
    if (Status read = number(INT16_MAX, link.story_scene); !read || link.story_scene < 1)
      return wrong(N_("the link cannot be read: '{0}' is no scene of a story; they count from 1"), value);
    return --link.story_scene, Status(Unit{});
  }
  if (name == "theme" && (value == "dark" || value == "light"))
    return scene.dark = value == "dark", Status(Unit{});
  if (name == "lang" && (value == "en" || value == "zh"))
    return scene.language = value == "zh" ? Language::chinese : Language::english, Status(Unit{});
  if (name == "present" && (value == "1" || value == "0"))
    return scene.projector = value == "1", Status(Unit{});
  return wrong(N_("the link cannot be read: '{0}' is not known here"), name + "=" + value);
}

Status take_part(std::string_view part, SceneLink& link) {
  const auto equals = part.find('=');
  if (equals == part.npos)
    return wrong(N_("the link cannot be read: '{0}' is no setting, as n=128 is"), part);
  const auto name = decoded(part.substr(0, equals)), value = decoded(part.substr(equals + 1));
  if (!name || !value || !is_name(*name))
    return wrong(N_("the link cannot be read: '{0}' is no setting, as n=128 is"), part);
  if (is_word_of_link(*name)) return take_word(*name, *value, link);
  link.scene->settings.push_back(*name + "=" + *value);
  return Unit{};
}

// "exercises/mfu/2", "claims/graph_saves"
Result<SceneLink> book_link(std::string_view kind, std::string_view rest) {
  SceneLink link;
  const auto slash = rest.find('/');
  const std::string_view name = rest.substr(0, slash);
  if (!is_name(name))
    return wrong(N_("the link cannot be read: '{0}' is no name of letters, digits, - and _"), name);
  link.book = std::string(kind) + "/" + std::string(name), link.story_scene = 0;
  if (slash == rest.npos) return link;
  const auto part = whole(rest.substr(slash + 1), INT16_MAX);
  if (!part || *part < 1)
    return wrong(N_("the link cannot be read: '{0}' is no part; they count from 1"), rest.substr(slash + 1));
  link.story_scene = int(*part) - 1;
  return link;
}

std::string_view behind_mark(std::string_view text) {
  const auto mark = text.find('#');
  return mark == text.npos ? text : text.substr(mark + 1);
}

void add_view(std::string& text, const AppState& state, const std::string& moment) {
  const auto add = [&](const char* name, const std::string& value) {
    text += text.find('?') == text.npos ? '?' : '&';
    text += std::string(name) + "=" + encoded(value);
  };
  for (const auto& [name, value] : state.params) add(name.c_str(), to_string(value));
  if (state.block) add("block", std::to_string(state.block));
  if (state.warp) add("warp", std::to_string(state.warp));
  if (!moment.empty()) add("at", moment);
  if (moment.empty() && state.step > 0) add("step", std::to_string(state.step));
  if (!state.compare.empty() && !names_saved_run(state.compare)) add("compare", state.compare);
  if (state.pinned)
    add("pin", std::to_string(state.pinned->first) + "," + std::to_string(state.pinned->second));
  if (const std::string timeline = timeline_text(state.timeline); !timeline.empty())
    add("timeline", timeline);
  if (state.story_scene >= 0) add("story", std::to_string(state.story_scene + 1));
  if (state.dark) add("theme", "dark");
  if (state.projector) add("present", "1");
  if (state.language == Language::chinese) add("lang", "zh");
}

}  // namespace

bool is_word_of_link(std::string_view name) {
  return std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

std::string scene_link(const AppState& state, const std::string& moment) {
  if (state.home && state.page == ListPage::exercises) return "exercises";
  if (state.home && state.page == ListPage::claims) return "claims";
  if (state.home || state.program) return "home";
  if (state.book.starts_with("exercises/"))
    return state.book + "/" + std::to_string(std::max(0, state.story_scene) + 1);
  if (state.book.starts_with("claims/")) return state.book;
  std::string text = state.lab + "/" + state.rung;
  add_view(text, state, moment);
  return text;
}

bool looks_like_link(std::string_view text) {
  if (text.size() > kMostCharacters || text.find_first_of(" \n\r\t{") != text.npos) return false;
  return text.starts_with('#') || text.starts_with("http://") || text.starts_with("https://");
}

Result<SceneLink> parse_scene_link(std::string_view text) {
  if (text.size() > kMostCharacters)
    return bad_input("the link has {0} characters; at most {1} are read",
                     {std::to_string(text.size()), std::to_string(kMostCharacters)});
  text = behind_mark(text);
  SceneLink link;
  if (text.empty() || text == "home") return link.home = true, link;
  if (text == "exercises") return link.home = true, link.page = ListPage::exercises, link;
  if (text == "claims") return link.home = true, link.page = ListPage::claims, link;
  const auto question = text.find('?');
  const std::string_view path = text.substr(0, question);
  const auto slash = path.find('/');
  const std::string_view lab = path.substr(0, slash), rung = slash == path.npos ? "" : path.substr(slash + 1);
  if (lab == "exercises" || lab == "claims") return book_link(lab, rung);
  if (const auto json = decoded(text); json && json->starts_with('{')) {  // a scene as it is copied and saved
    auto scene = parse_scene(*json, "#");
    if (!scene) return scene.error();
    return link.scene = std::move(*scene), link;
  }
  if (!is_name(lab) || !is_name(rung))
    return wrong(N_("the link cannot be read: '{0}' is no lab and rung, as transpose/padded is"), path);
  link.scene = SceneFile{};
  link.scene->lab = lab, link.scene->rung = rung;
  if (question == text.npos) return link;
  for (std::string_view rest = text.substr(question + 1); !rest.empty();) {
    const auto end = rest.find('&');
    if (Status taken = take_part(rest.substr(0, end), link); !taken) return taken.error();
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  }
  return link;
}

}  // namespace lockstep
