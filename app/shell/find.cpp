#include "find.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <unordered_map>

#include "app/draw/language.hpp"
#include "app/labs/lab.hpp"
#include "app/platform/paths.hpp"

namespace lockstep {
namespace {

// The Chinese sentence whatever the language in use; "" without a catalogue.
std::string chinese(const std::string& id) {
  static const std::unordered_map<std::string, std::string> sentences = [] {
    std::ifstream file(assets_folder() / "locale/zh.mo", std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
    std::unordered_map<std::string, std::string> all;
    if (const auto pairs = read_catalogue(bytes)) all.insert(pairs->begin(), pairs->end());
    return all;
  }();
  const auto found = sentences.find(id);
  return found == sentences.end() ? "" : found->second;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return out;
}

std::string both(const std::string& id) { return lower(id) + "\n" + chinese(id) + "\n"; }

struct Candidate {
  Found found;
  std::string name, text;  // in both languages, small letters: what it is called, and all that it says
};

std::vector<Candidate> candidates() {
  std::vector<Candidate> all;
  for (const Lab* lab : labs()) {
    const LabInfo& info = lab->info();
    const std::string title = tr(info.title), named = lower(info.slug) + "\n" + both(info.title);
    all.push_back({{info.slug, "", "", title, tr(info.question)}, named, named + both(info.question)});
    for (const RungInfo& rung : info.rungs)
      all.push_back({{info.slug, rung.slug, "", title + " · " + rung.slug, tr(rung.idea)},
                     lower(rung.slug) + "\n",
                     lower(rung.slug) + "\n" + named + both(rung.idea)});
    for (const Parameter& p : info.parameters)
      all.push_back(
          {{info.slug, "", p.name, title + " · " + tr("parameter {0}", {tr(title_of(p))}), tr(p.help)},
           lower(p.name) + "\n" + both(title_of(p)),
           lower(p.name) + "\n" + both(title_of(p)) + named + both(p.help)});
  }
  return all;
}

bool holds_words(std::string_view text, std::string_view query) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find(' '), query.size());
    if (text.find(query.substr(0, end)) == text.npos) return false;
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return true;
}

// 0: a name begins so, 1: a name holds it, 2: it stands somewhere.
int rank(const Candidate& c, const std::string& query) {
  if (c.name.starts_with(query) || c.name.find("\n" + query) != c.name.npos) return 0;
  return c.name.find(query) != c.name.npos ? 1 : 2;
}

}  // namespace

std::vector<Found> find_in_labs(std::string_view typed) {
  const std::string query = lower(typed);
  auto all = candidates();
  std::erase_if(all, [&](const Candidate& c) { return !holds_words(c.text, query); });
  if (!query.empty())
    std::stable_sort(all.begin(), all.end(),
                     [&](const Candidate& a, const Candidate& b) { return rank(a, query) < rank(b, query); });
  std::vector<Found> found;
  for (Candidate& c : all) found.push_back(std::move(c.found));
  return found;
}

}  // namespace lockstep
