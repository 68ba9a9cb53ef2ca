// Catalogues: translation, and damaged files.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "app/draw/language.hpp"

using namespace lockstep;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

void put_word(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint32_t value) {
  if (bytes.size() < at + 4) bytes.resize(at + 4);
  for (int i = 0; i < 4; ++i) bytes[at + std::size_t(i)] = std::uint8_t(value >> 8 * i);
}

// A GNU .mo file as msgfmt writes it, without the hash table.
std::vector<std::uint8_t> catalogue_of(const Pairs& pairs) {
  const auto count = std::uint32_t(pairs.size());
  std::vector<std::uint8_t> bytes;
  const std::uint32_t header[] = {0x950412de, 0, count, 28, 28 + 8 * count, 0, 0};
  for (std::size_t i = 0; i < 7; ++i) put_word(bytes, 4 * i, header[i]);
  bytes.resize(28 + 16 * count);
  for (int table = 0; table < 2; ++table)
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string& text = table == 0 ? pairs[i].first : pairs[i].second;
      const std::size_t entry = 28 + 8 * (std::size_t(table) * count + i);
      put_word(bytes, entry, std::uint32_t(text.size()));
      put_word(bytes, entry + 4, std::uint32_t(bytes.size()));
      bytes.insert(bytes.end(), text.begin(), text.end());
      bytes.push_back(0);
    }
  return bytes;
}

const Pairs kSample{{"", "Content-Type: text/plain; charset=UTF-8\n"},
                    {"Warp {0} loads {1}", "线程束 {0} 读取 {1}"},
                    {"not yet", ""}};

struct Folder {
  std::filesystem::path path;
  explicit Folder(const std::vector<std::uint8_t>& catalogue)
      : path(std::filesystem::temp_directory_path() / "lockstep_test_locale") {
    std::filesystem::create_directories(path);
    std::ofstream(path / "zh.mo", std::ios::binary)
        .write(reinterpret_cast<const char*>(catalogue.data()), std::streamsize(catalogue.size()));
  }
  ~Folder() {
    (void)use_language(Language::english, path).ok();
    std::filesystem::remove_all(path);
  }
};

}  // namespace

TEST_CASE("a catalogue gives its pairs back") {
  const auto pairs = read_catalogue(catalogue_of(kSample));
  REQUIRE(pairs.ok());
  CHECK(*pairs == kSample);
}

TEST_CASE("a catalogue cut off anywhere is refused, never read past its end") {
  const auto whole = catalogue_of(kSample);
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    CAPTURE(length);
    CHECK_FALSE(read_catalogue(std::span(whole.data(), length)).ok());
  }
}

TEST_CASE("a catalogue with any byte changed is read or refused, never trusted") {
  const auto whole = catalogue_of(kSample);
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const std::uint8_t value : {0x00, 0x7f, 0x80, 0xff}) {
      auto damaged = whole;
      damaged[at] = value;
      if (const auto pairs = read_catalogue(damaged); pairs.ok()) CHECK(pairs->size() <= kSample.size());
    }
}

TEST_CASE("a catalogue whose entries all claim the whole file is refused") {
  auto bytes = catalogue_of(Pairs(100, {"a", "b"}));
  for (std::size_t entry = 28; entry < 28 + 200 * 8; entry += 8)
    put_word(bytes, entry, std::uint32_t(bytes.size())), put_word(bytes, entry + 4, 0);
  CHECK_FALSE(read_catalogue(bytes).ok());
}

TEST_CASE("sentences are translated whole, with their arguments put in") {
  const Folder folder(catalogue_of(kSample));
  CHECK(tr("Warp {0} loads {1}", {"3", "in"}) == "Warp 3 loads in");
  REQUIRE(use_language(Language::chinese, folder.path).ok());
  CHECK(language_in_use() == Language::chinese);
  CHECK(tr("Warp {0} loads {1}", {"3", "in"}) == "线程束 3 读取 in");
  CHECK(tr(msg("Warp {0} loads {1}", {"3", "in"})) == "线程束 3 读取 in");
  CHECK(tr("not yet") == "not yet");  // an empty translation
  CHECK(tr("unknown {0}", {"x"}) == "unknown x");
  CHECK(tr("") == "");  // not the catalogue's header
}

TEST_CASE("the glyph atlas is told every translated sentence, and nothing of the header") {
  const Folder folder(catalogue_of(kSample));
  CHECK(catalogue_text().empty());
  REQUIRE(use_language(Language::chinese, folder.path).ok());
  CHECK(catalogue_text().find("线程束") != std::string::npos);
  CHECK(catalogue_text().find("charset") == std::string::npos);
}

TEST_CASE("a missing or damaged catalogue leaves English in use and says which file") {
  const Status missing = use_language(Language::chinese, "/nowhere");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().text().find("/nowhere/zh.mo") != std::string::npos);
  const Folder folder({1, 2, 3});
  const Status damaged = use_language(Language::chinese, folder.path);
  REQUIRE_FALSE(damaged.ok());
  CHECK(damaged.error().text().find("zh.mo") != std::string::npos);
  CHECK(language_in_use() == Language::english);
}
