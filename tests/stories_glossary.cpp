// The glossary's words are found in a text by their longest form, whole, in both languages.
#include <doctest/doctest.h>

#include "app/draw/word_pictures.hpp"
#include "app/stories/glossary.hpp"
#include "stories_support.hpp"

using namespace lockstep;

namespace {

Glossary glossary(const char* language) {
  auto words = load_words({in_source("assets/stories")}, language);
  REQUIRE(words.ok());
  return Glossary(std::move(*words));
}

// "[bank conflict]" for each word that is found, by its English name.
std::string found(const Glossary& words, std::string_view text) {
  std::string all;
  for (const TermSpan& span : words.find(text)) all += "[" + words.words()[span.word].name + "]";
  return all;
}

}  // namespace

TEST_CASE("the longest form counts, and Latin words stand alone") {
  const Glossary words = glossary("en");
  CHECK(found(words, "A bank conflict is no bank.") == "[bank conflict][bank]");
  CHECK(found(words, "Shared memory, global memory") == "[shared memory][global memory]");
  CHECK(found(words, "the warping of swarps") == "");
  CHECK(found(words, "Warps: 32 lanes each") == "[warp][lane]");
  CHECK(found(words, "an SM, not small, and L2 but no l2") == "[SM][L2]");
  CHECK(found(words, "`cp.async`") == "[cp.async]");
  CHECK(found(words, "") == "");
}

TEST_CASE("in Chinese words are found inside a sentence, the longest first") {
  const Glossary words = glossary("zh");
  CHECK(found(words, "一个线程束里的线程读共享内存") == "[warp][thread][shared memory]");
  CHECK(found(words, "存储体冲突和存储体") == "[bank conflict][bank]");
  CHECK(found(words, "线程块(block)") == "[block]");
}

TEST_CASE("every word is found by its own term and by every other form, and its picture exists") {
  for (const char* language : {"en", "zh"}) {
    const Glossary words = glossary(language);
    CHECK(words.words().size() >= 60);
    int pictures = 0;
    for (const Word& word : words.words()) {
      CAPTURE(word.name);
      CHECK(found(words, word.term).starts_with("[" + word.name + "]"));
      for (const std::string& form : word.also) CHECK(found(words, form) == "[" + word.name + "]");
      CHECK((word.picture.empty() || has_word_picture(word.picture)));
      pictures += !word.picture.empty();
    }
    CHECK(pictures >= 20);
  }
}

TEST_CASE("what is typed finds the words that begin so first") {
  const Glossary words = glossary("en");
  const auto found = words.holding("sect");
  REQUIRE(found.size() > 1);
  CHECK(words.words()[found[0]].name == "sector");
  CHECK(words.holding("").size() == words.words().size());
  CHECK(words.holding("no such thing").empty());
}
