#include "cuda/studies/paper_items.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <span>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/embedded.h"
#include "cuda/core/simulation/format.h"
#include "cuda/studies/paper.h"

namespace perturb {

std::span<const EmbeddedFile> embedded_paper_items();

std::vector<PaperItem> read_paper_items(std::string_view text) {
  constexpr std::string_view headings = "paper\tkind\tplace\titem\tprinted\th200\ttwo_cores\tholds\twhy\tstudy";
  std::vector<PaperItem> items;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    const auto require = [&](bool condition, const char* what) {
      if (!condition) throw Error("internal: assets/paper_items.tsv, line {}: {}", std::to_string(number), what);
    };
    require(end != std::string_view::npos, "the end of a line is wanted");
    text.remove_prefix(end + 1);
    if (number == 1) {
      require(line == headings, "the headings are wanted");
      continue;
    }
    PaperItem item;
    const std::array<std::string*, 10> fields = {&item.paper, &item.kind,      &item.place, &item.item, &item.printed,
                                                 &item.h200,  &item.two_cores, &item.holds, &item.why,  &item.study};
    require(std::count(line.begin(), line.end(), '\t') == fields.size() - 1, "ten fields are wanted");
    for (std::string* field : fields) {
      const std::size_t tab = line.find('\t');
      *field = line.substr(0, tab);
      line.remove_prefix(tab == std::string_view::npos ? line.size() : tab + 1);
    }
    require(!item.paper.empty() && !item.kind.empty() && !item.item.empty(), "paper, kind and item are wanted");
    items.push_back(std::move(item));
  }
  return items;
}

std::vector<PaperItem> paper_items(std::string_view paper) {
  static const std::vector<PaperItem> all = read_paper_items(embedded_paper_items().front().text);
  std::vector<PaperItem> items;
  std::copy_if(all.begin(), all.end(), std::back_inserter(items),
               [&](const PaperItem& item) { return paper.empty() || item.paper == paper; });
  return items;
}

// ---- search

namespace {

// In small letters, without punctuation at either end: "6.1" of "6.1," and "(6.1)".
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const bool separates = std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',' || c == ':' || c == '(' ||
                           c == ')' || c == '"' || c == ';';
    if (!separates)
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text = " ";
  for (const std::string& word : words) text += word + " ";
  return text;
}

}  // namespace

std::vector<std::string> places_of(std::string_view place) {
  std::vector<std::string> places;
  std::string kind = "section";
  for (const std::string& word : words_of(place)) {
    for (const char* known : {"table", "figure", "section", "chapter", "equation"})
      if (word == known || word == std::string(known) + "s") kind = known;
    if (std::isdigit(static_cast<unsigned char>(word[0])) || (word.size() > 1 && word[1] == '.'))
      places.push_back(kind + " " + word);
  }
  return places;
}

std::vector<PaperItem> matching_items(const std::vector<PaperItem>& items, const std::string& wanted) {
  const std::vector<std::string> words = words_of(wanted);
  const std::string phrase = joined(words);
  std::vector<PaperItem> at_place, with_phrase, with_words;
  for (const PaperItem& item : items) {
    if (item.kind == "machine" || words.empty()) continue;
    const std::vector<std::string> places = places_of(item.place);
    if (std::find(places.begin(), places.end(), phrase.substr(1, phrase.size() - 2)) != places.end())
      at_place.push_back(item);
    const std::string text = joined(words_of(item.place + " " + item.item));
    if (text.find(phrase) != std::string::npos) with_phrase.push_back(item);
    if (std::all_of(words.begin(), words.end(),
                    [&](const std::string& word) { return text.find(" " + word + " ") != std::string::npos; }))
      with_words.push_back(item);
  }
  return !at_place.empty() ? at_place : !with_phrase.empty() ? with_phrase : with_words;
}

// ---- findings that need CUDA

namespace {

// A claim without its numbers and without the note that it was asked of another device.
std::string kind_of_claim(std::string_view claim) {
  std::string kind;
  for (const char c : claim.substr(0, claim.find(" (asked of ")))
    if (c < '0' || c > '9') kind += c;
  return kind;
}

// "30.1 %" as its number; a text with several stays one; a dash if there is none.
StudyValue printed_value(const std::string& printed) {
  const std::string digits = printed.substr(0, printed.find(' '));
  double value = 0;
  if (printed.find(';') == std::string::npos && read_number(digits, value)) return PrintedNumber{value, digits};
  return printed.empty() ? StudyValue("-") : StudyValue(printed);
}

}  // namespace

void add_findings_that_need_cuda(const std::vector<PaperItem>& items, const std::string& study, StudyResult& result) {
  constexpr const char* id = "findings";
  enum Column { claim, place, source_ratio, measured, ratio, min_ratio, max_ratio, repeats, verdict, columns };
  std::string device;  // of the stored results
  StudyTable added = findings_table({});
  PERTURB_ASSERT(added.columns.size() == columns);
  StudyTable* last = nullptr;
  for (const PaperItem& item : items) {
    if (item.kind == "machine" && item.item == "H200") device = item.printed.substr(0, item.printed.find(','));
    if (item.kind != "finding" || item.study != study || item.h200.empty()) continue;
    const std::string text = "not measured here: needs a CUDA device (stored, " + device + ": " + item.h200 + ")";
    bool here = false;
    for (StudyTable& table : result.tables) {
      if (table.id != id) continue;
      last = &table;
      for (std::vector<StudyValue>& row : table.rows) {
        if (!item.place.starts_with(std::get<std::string>(row[place])) ||
            kind_of_claim(std::get<std::string>(row[claim])) != kind_of_claim(item.item))
          continue;
        here = true;
        if (number_of(row[repeats]) == 0) row[verdict] = text;
      }
    }
    if (here) continue;
    added.add({item.item, item.place, printed_value(item.printed), "-", "-", "-", "-", 0, text});
  }
  if (added.rows.empty()) return;
  if (last == nullptr)
    result.tables.push_back(std::move(added));
  else
    last->rows.insert(last->rows.end(), added.rows.begin(), added.rows.end());
}

}  // namespace perturb
