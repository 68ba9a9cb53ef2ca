#include "glossary.hpp"

#include <algorithm>

#include "markdown.hpp"

namespace lockstep {
namespace {

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower_case(c);
  return out;
}

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Capitals beyond the first letter make a name: "SM", "FMAs", "bf16" is none.
bool is_name(std::string_view form) {
  return form.size() > 1 &&
         std::any_of(form.begin() + 1, form.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

Glossary::Glossary(std::vector<Word> words) : words_(std::move(words)) {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    add(words_[i].name, i), add(words_[i].term, i);
    for (const std::string& form : words_[i].also) add(form, i);
  }
  for (auto& [first, forms] : forms_)
    std::stable_sort(forms.begin(), forms.end(),
                     [](const Form& a, const Form& b) { return a.text.size() > b.text.size(); });
}

void Glossary::add(const std::string& text, std::size_t word) {
  if (text.empty()) return;
  const bool exact = is_name(text) || (text.size() == 2 && in_word(text[0]));  // "L1", "L2"
  auto& forms = forms_[lower_case(text[0])];
  const auto same = [&](const Form& known) { return known.text == (exact ? text : lower_case(text)); };
  if (std::none_of(forms.begin(), forms.end(), same))
    forms.push_back({exact ? text : lower_case(text), exact, word});
}

const Word* Glossary::named(std::string_view name) const {
  const auto at =
      std::find_if(words_.begin(), words_.end(), [&](const Word& word) { return word.name == name; });
  return at == words_.end() ? nullptr : &*at;
}

const Glossary::Form* Glossary::form_at(std::string_view text, std::size_t at) const {
  if (at > 0 && in_word(text[at]) && in_word(text[at - 1])) return nullptr;  // in the middle of a word
  const auto forms = forms_.find(lower_case(text[at]));
  if (forms == forms_.end()) return nullptr;
  for (const Form& form : forms->second) {
    const std::size_t end = at + form.text.size();
    if (end > text.size() ||
        !std::equal(form.text.begin(), form.text.end(), text.begin() + std::ptrdiff_t(at),
                    [&](char a, char b) { return a == (form.exact ? b : lower_case(b)); }))
      continue;
    if (!in_word(text[end - 1]) || end == text.size() || !in_word(text[end])) return &form;
  }
  return nullptr;
}

std::vector<TermSpan> Glossary::find(std::string_view text) const {
  std::vector<TermSpan> spans;
  for (std::size_t at = 0; at < text.size();) {
    const Form* form = form_at(text, at);
    if (form) spans.push_back({at, at + form->text.size(), form->word});
    at += form ? form->text.size() : 1;
  }
  return spans;
}

std::string Glossary::sentence(const Word& word) {
  return plain_text(word.sentence, [](const Inline&) { return std::string(); });
}

std::vector<std::size_t> Glossary::holding(std::string_view typed) const {
  const std::string query = lower_case(typed);
  std::vector<std::size_t> named, said;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const Word& word = words_[i];
    const std::string name = lower_case(word.name), term = lower_case(word.term);
    bool begins = name.starts_with(query) || term.starts_with(query), holds = begins;
    for (const std::string& form : word.also) begins |= lower_case(form).starts_with(query);
    for (const std::string& text : {name, term, lower_case(sentence(word))})
      holds |= text.find(query) != text.npos;
    if (begins)
      named.push_back(i);
    else if (holds)
      said.push_back(i);
  }
  named.insert(named.end(), said.begin(), said.end());
  return named;
}

}  // namespace lockstep
