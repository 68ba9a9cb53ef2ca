#include "words.hpp"

#include <set>

#include "app/platform/files.hpp"
#include "markdown.hpp"
#include "source_text.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> forms_in(std::string_view text) {
  std::vector<std::string> forms;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.size(), text.find(','));
    std::string_view form = text.substr(0, comma);
    while (form.starts_with(' ')) form.remove_prefix(1);
    while (form.ends_with(' ')) form.remove_suffix(1);
    if (!form.empty()) forms.emplace_back(form);
    text.remove_prefix(std::min(text.size(), comma + 1));
  }
  return forms;
}

class WordReader {
 public:
  explicit WordReader(const SourceText& source) : source_(source) {}

  Status line(std::size_t begin, std::size_t end) {
    source_.trim(begin, end);
    if (begin == end) return Unit{};
    const std::string_view text = source_.slice(begin, end);
    if (text.starts_with("# ")) return heading(begin + 2, end);
    if (words_.empty()) return source_.error(begin, {"expected '# ' and a term", {}});
    for (const std::string_view key : {"term:", "also:", "picture:"})
      if (text.starts_with(key)) return field(key, begin + key.size(), end);
    if (sentence_end_ == 0) sentence_begin_ = begin;
    sentence_end_ = end;
    return Unit{};
  }

  Result<std::vector<Word>> finish() {
    if (words_.empty()) return source_.error(0, {"expected '# ' and a term", {}});
    if (Status done = finish_word(); !done) return done.error();
    return std::move(words_);
  }

 private:
  Status heading(std::size_t begin, std::size_t end) {
    if (!words_.empty())
      if (Status done = finish_word(); !done) return done;
    source_.trim(begin, end);
    Word word;
    word.name = word.term = source_.slice(begin, end);
    if (word.name.empty() || !names_.insert(word.name).second)
      return source_.error(begin, {"the term '{0}' stands here twice", {word.name}});
    words_.push_back(std::move(word));
    heading_ = begin, sentence_begin_ = sentence_end_ = 0;
    return Unit{};
  }

  Status field(std::string_view key, std::size_t begin, std::size_t end) {
    source_.trim(begin, end);
    if (sentence_end_ != 0)
      return source_.error(begin, {"'{0}' stands above the sentence", {std::string(key)}});
    const std::string_view value = source_.slice(begin, end);
    Word& word = words_.back();
    if (key == "term:") word.term = value;
    if (key == "also:") word.also = forms_in(value);
    if (key == "picture:") word.picture = value;
    return value.empty() ? Status(source_.error(begin, {"expected a value behind '{0}'", {std::string(key)}}))
                         : Status(Unit{});
  }

  Status finish_word() {
    if (sentence_end_ == 0) return source_.error(heading_, {"this term has no sentence", {}});
    auto sentence = read_inline(source_, sentence_begin_, sentence_end_, {});
    if (!sentence) return sentence.error();
    for (const Inline& piece : *sentence)
      if (piece.kind == Inline::Kind::figure)
        return source_.error(sentence_begin_, {"a term's sentence holds no expression", {}});
    words_.back().sentence = std::move(*sentence);
    return Unit{};
  }

  const SourceText& source_;
  std::vector<Word> words_;
  std::set<std::string> names_;
  std::size_t heading_ = 0, sentence_begin_ = 0, sentence_end_ = 0;
};

}  // namespace

Result<std::vector<Word>> read_words(std::string_view bytes, const std::string& name) {
  auto text = check_text(bytes, name);
  if (!text) return text.error();
  const SourceText source(*text, name);
  WordReader reader(source);
  for (std::size_t begin = 0; begin < text->size();) {
    const std::size_t end = std::min(text->size(), text->find('\n', begin));
    if (Status read = reader.line(begin, end); !read) return read.error();
    begin = end + 1;
  }
  return reader.finish();
}

Result<std::vector<Word>> load_words(const std::vector<fs::path>& folders, std::string_view language) {
  for (const std::string_view spoken : {language, std::string_view("en")})
    for (const fs::path& folder : folders) {
      const fs::path file = folder / spoken / "words.md";
      std::error_code ignored;
      if (!fs::exists(file, ignored)) continue;
      auto bytes = read_file(file, kMaxWordsBytes);
      if (!bytes) return bytes.error();
      return read_words({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, file.string());
    }
  return bad_input("there is no glossary: assets/stories/en/words.md is missing beside the program");
}

}  // namespace lockstep
