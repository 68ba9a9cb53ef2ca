#include "language.hpp"

#include <fstream>
#include <iterator>
#include <unordered_map>

namespace lockstep {
namespace {

struct InUse {
  Language language = Language::english;
  std::unordered_map<std::string, std::string> sentences;
};
InUse& in_use() {
  static InUse state;
  return state;
}

std::vector<std::uint8_t> read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

// GNU .mo, little-endian: magic, revision, count, offset of the ids, offset of the translations; each entry
// is a length and an offset (GNU gettext manual, "The Format of GNU MO Files").
Result<std::vector<std::pair<std::string, std::string>>> read_catalogue(std::span<const std::uint8_t> bytes) {
  const Error damaged = bad_input("the catalogue is damaged: build it again", {});
  const auto word = [&](std::uint64_t at, bool& ok) -> std::uint32_t {
    if (at + 4 > bytes.size()) return ok = false, 0;
    return std::uint32_t(bytes[at]) | std::uint32_t(bytes[at + 1]) << 8 | std::uint32_t(bytes[at + 2]) << 16 |
           std::uint32_t(bytes[at + 3]) << 24;
  };
  bool ok = true;
  if (word(0, ok) != 0x950412de || !ok) return damaged;
  const std::uint32_t count = word(8, ok), ids = word(12, ok), texts = word(16, ok);
  if (!ok || count > bytes.size() / 16) return damaged;
  std::uint64_t total =
      0;  // a tool may let a few strings share bytes; millions sharing all of them are a trap
  constexpr std::uint64_t kMostSharing = 8;
  const auto text = [&](std::uint64_t table, std::uint32_t i) -> std::string {
    const std::uint64_t length = word(table + 8ull * i, ok), at = word(table + 8ull * i + 4, ok);
    if (!ok || at + length > bytes.size() || (total += length) > kMostSharing * bytes.size())
      return ok = false, std::string();
    return {reinterpret_cast<const char*>(bytes.data()) + at, std::size_t(length)};
  };
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::uint32_t i = 0; i < count; ++i) {
    pairs.emplace_back(text(ids, i), text(texts, i));
    if (!ok) return damaged;
  }
  return pairs;
}

Status use_language(Language language, const std::filesystem::path& locale_folder) {
  InUse& state = in_use();
  if (language == Language::english) {
    state = {};
    return Unit{};
  }
  const auto path = locale_folder / "zh.mo";
  const auto bytes = read_all(path);
  if (bytes.empty()) return bad_input("the catalogue {0} is missing: English is used", {path.string()});
  const auto pairs = read_catalogue(bytes);
  if (!pairs) return bad_input("the catalogue {0} is damaged: English is used", {path.string()});
  state = {language, {pairs->begin(), pairs->end()}};
  return Unit{};
}

Language language_in_use() { return in_use().language; }

std::string tr(std::string_view id, const std::vector<std::string>& args) {
  const auto& sentences = in_use().sentences;
  if (const auto found = sentences.find(std::string(id));
      found != sentences.end() && !found->second.empty() && !id.empty())
    return expand(found->second, args);
  return expand(id, args);
}

std::string catalogue_text() {
  std::string all;
  for (const auto& [id, text] : in_use().sentences)
    if (!id.empty()) all += text;
  return all;
}

}  // namespace lockstep
