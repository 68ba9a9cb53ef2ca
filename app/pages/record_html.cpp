#include "record_html.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/lab.hpp"
#include "app/platform/files.hpp"
#include "html.hpp"

namespace lockstep {
namespace {

using Json = nlohmann::json;
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

struct Compared {
  int settings = 0, explained = 0;  // those with a difference that has its reason
  std::string first, last;          // days
};

std::map<std::string, Compared> compared_by_lab(const Json& rows) {
  std::map<std::string, Compared> labs;
  for (const Json& row : rows) {
    Compared& one = labs[row.at("lab").get<std::string>()];
    const std::string day = row.at("date").get<std::string>();
    ++one.settings, one.explained += !row.at("differences").empty();
    if (one.first.empty() || day < one.first) one.first = day;
    one.last = std::max(one.last, day);
  }
  return labs;
}

std::string number_cell(int number) {
  return "<span class=\"number\">" + html_text(grouped(number)) + "</span>";
}

std::string compared_table(const Json& rows) {
  const auto labs_compared = compared_by_lab(rows);
  std::vector<std::vector<std::string>> cells{{html_text(tr("lab")), html_text(tr("settings compared")),
                                               html_text(tr("with a difference that is explained")),
                                               html_text(tr("when"))}};
  for (const Lab* lab : labs()) {
    const auto at = labs_compared.find(lab->info().slug);
    if (at == labs_compared.end()) continue;
    const Compared& one = at->second;
    cells.push_back({html_text(tr(lab->info().title)), number_cell(one.settings), number_cell(one.explained),
                     html_text(one.first == one.last ? one.first : one.first + " – " + one.last)});
  }
  return html_table(cells, tr("The record"));
}

// Differences of one reason stand together. The reasons are the record's own, in English.
std::string reasons_list(const std::map<std::string, std::string>& reasons) {
  std::map<std::string, std::string> places;
  for (const auto& [place, why] : reasons) {
    std::string& all = places[why];
    all += (all.empty() ? "" : " ") + ("<code>" + html_text(place) + "</code>");
  }
  std::string items;
  for (const auto& [why, where] : places)
    items += html_element(
        "li", "<span lang=\"en\">" + html_text(why) + "</span>" + html_element("p", where, "places"));
  return html_element("ul", items, "list");
}

std::string record_html(const Json& record) {
  const Json& device = record.at("device");
  return html_element(
             "p", html_text(tr("Compared on {0}, driver {1}.", {device.at("name").get<std::string>(),
                                                                device.at("driver").get<std::string>()}))) +
         compared_table(record.at("rows"));
}

// `reasons`: a text for each place that differs.
struct Record {
  std::string html;
  std::size_t rows = 0;
  std::map<std::string, std::string> reasons;
};

Result<Record> record_in(const std::filesystem::path& validation) {
  const auto bytes = read_file(validation, kMostBytes);
  if (!bytes) return bytes.error();
  try {
    const Json record = Json::parse(bytes->begin(), bytes->end());
    Record read{record_html(record), record.at("rows").size(), {}};
    for (const auto& [place, reason] : record.at("reasons").items())
      read.reasons[place] = reason.at("why").get<std::string>();
    return read;
  } catch (const Json::exception& fault) {
    return bad_input("{0} is not a record that can be read: {1}", {validation.string(), fault.what()});
  }
}

}  // namespace

Result<std::string> records_html(const std::vector<std::filesystem::path>& validations) {
  std::vector<Record> records;
  std::map<std::string, std::string> reasons;
  for (const auto& validation : validations) {
    auto record = record_in(validation);
    if (!record) return record.error();
    reasons.insert(record->reasons.begin(), record->reasons.end());
    records.push_back(std::move(*record));
  }
  if (records.empty()) return std::string();
  std::sort(records.begin(), records.end(), [](const Record& a, const Record& b) { return a.rows > b.rows; });
  std::string out = html_element("h2", html_text(tr("The record")));
  for (const Record& record : records) out += record.html;
  return out + html_element("h2", html_text(tr("Differences and their reasons"))) + reasons_list(reasons);
}

}  // namespace lockstep
