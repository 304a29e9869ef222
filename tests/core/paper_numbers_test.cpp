// A published number is written only once, in assets/sources. Code reads it from there; a page may show it as a link to
// the file, whose title gives the place: [10646.179 s](.../fibers.csv "table B.1, 1000, CPU-only").
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/studies/paper.h"
#include "cuda/studies/study.h"
#include "tests/support/sanitized.h"
#include "tests_places.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Significant digits of a number as written: 4 for "16.50" and for "5.960e-4".
int digits_of(const std::string& number) {
  int digits = 0;
  for (const char c : number.substr(0, number.find_first_of("eE")))
    if (c >= '0' && c <= '9' && (digits > 0 || c != '0')) ++digits;
  return digits;
}
double rounded(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*e", digits - 1, value);
  return std::stod(text);
}

// Counts, block sizes, percentages ... are common; a measured 1:08:19.533 is distinctive.
bool is_distinctive(const PaperValue& value) {
  const bool whole = value.digits.find_first_of(".e") == std::string::npos;
  return !whole && digits_of(value.digits) >= 3;
}

struct Written {
  std::string digits;
  bool is_percentage = false;
};

// The number of `table` that `written` repeats, in its own unit or with a prefix, or null. A number rounded to two
// digits is distinguished from others only by its power of ten. A percentage is no time.
const PaperValue* said_again(const PaperTable& table, const Written& number) {
  const std::string& written = number.digits;
  const int digits = digits_of(written);
  const bool power = written.find("e-") != std::string::npos;
  if (digits < 3 && !(digits == 2 && power)) return nullptr;
  if (digits == 3 && written.find_first_of(".e") == std::string::npos) return nullptr;
  const double x = std::strtod(written.c_str(), nullptr);
  for (const PaperValue& value : table.values()) {
    if (!is_distinctive(value)) continue;
    const bool time = !value.unit.empty() && value.unit[0] == 's';
    if (time && number.is_percentage) continue;
    for (const double prefix : {1.0, 1e3, 1e6, 1e9}) {
      if (prefix != 1 && (!time || digits < 3)) continue;
      if (rounded(value.value * prefix, std::min(digits, digits_of(value.digits))) == x) return &value;
    }
  }
  return nullptr;
}

std::vector<Written> numbers_in(const std::string& line) {
  static const std::regex number(R"((^|[^\w.])(\d+\.?\d*(e[-+]?\d+)?)(?![\w.]*\w))");
  std::vector<Written> found;
  for (std::sregex_iterator it(line.begin(), line.end(), number), end; it != end; ++it)
    found.push_back({(*it)[2], it->suffix().str().starts_with(" %")});
  return found;
}

// A time of a table in hours and minutes, as text or as a sum: "2 h 57 min", "2 * 3600 + 57 * 60".
const PaperValue* said_in_hours(const PaperTable& table, const std::string& line) {
  static const std::regex hours(R"((\d+) (?:h|\* 3600 \+) (\d+)(?: min| \* 60))");
  for (std::sregex_iterator it(line.begin(), line.end(), hours), end; it != end; ++it) {
    const double minutes = 60 * std::stod((*it)[1]) + std::stod((*it)[2]);
    for (const PaperValue& value : table.values())
      if (value.unit == "s" && value.value >= 3600 && std::abs(value.value / 60 - minutes) < 1) return &value;
  }
  return nullptr;
}

std::vector<fs::path> files_below(const fs::path& folder, std::initializer_list<const char*> kinds) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() &&
        std::find(kinds.begin(), kinds.end(), entry.path().extension().string()) != kinds.end())
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void expect_nothing_typed(const PaperTable& table, const fs::path& file, const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    // All that is searched has two digits at least. Expressions take long, and most lines have none.
    if (std::count_if(line.begin(), line.end(), [](char c) { return c >= '0' && c <= '9'; }) < 2) continue;
    const PaperValue* found = said_in_hours(table, line);
    for (const Written& written : numbers_in(line))
      if (found == nullptr) found = said_again(table, written);
    if (found != nullptr)
      ADD_FAILURE() << file.string() << ":" << number << " types " << found->digits << " " << found->unit << " of the "
                    << table.name() << "' source (" << found->place << ", " << found->row << ", " << found->column
                    << "):\n"
                    << line;
  }
}

TEST(PaperNumbers, AreTypedInNoCode) {
  SKIP_UNDER_SANITIZERS("reads texts and sources; the program does nothing");
  const fs::path root = PERTURB_SOURCE_DIR;
  for (const PaperTable& table : paper_tables()) {
    std::size_t files = 0;
    for (const fs::path& folder : {root / "cuda" / table.name(), root / "cuda/studies" / table.name(), root / "app"})
      for (const fs::path& file : files_below(folder, {".h", ".cpp", ".cu"})) {
        expect_nothing_typed(table, file, text_of(file));
        ++files;
      }
    EXPECT_GT(files, 20u) << "where the code lies has changed";
  }
}

struct Link {
  std::string shown, simulation, place;
};
std::vector<Link> links_of(const std::string& text) {
  static const std::regex link(R"re(\[([^\]\[]+)\]\([^)" ]*assets/sources/(\w+)\.csv "([^"]*)"\))re");
  std::vector<Link> links;
  for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it)
    links.push_back({(*it)[1], (*it)[2], (*it)[3]});
  return links;
}

// The displayed value, in the unit of the table: "2:57:26.179" and "2 h 57 min" in seconds, "30 µs", "1 %", "16.27".
struct Shown {
  double value = 0;
  double half_of_last_place = 0;
};
Shown read_shown(const std::string& text) {
  Shown shown;
  std::smatch m;
  if (std::regex_match(text, m, std::regex(R"((\d+):(\d\d):(\d\d(?:\.\d+)?))"))) {
    shown.value = 3600 * std::stod(m[1]) + 60 * std::stod(m[2]) + std::stod(m[3]);
    shown.half_of_last_place = 0.5e-3;
  } else if (std::regex_match(text, m, std::regex(R"((\d+) h (\d+) min)"))) {
    shown.value = 3600 * std::stod(m[1]) + 60 * std::stod(m[2]);
    shown.half_of_last_place = 30;
  } else if (std::regex_match(text, m, std::regex(R"(([\d.]+(?:e-?\d+)?) ?(.*))"))) {
    const std::string digits = m[1], unit = m[2];
    const double prefix = unit == "µs" ? 1e-6 : unit == "ns" ? 1e-9 : 1;
    const std::string mantissa = digits.substr(0, digits.find('e'));
    const std::size_t point = mantissa.find('.');
    const int decimals = point == std::string::npos ? 0 : static_cast<int>(mantissa.size() - point) - 1;
    const std::size_t e = digits.find('e');
    const int exponent = e == std::string::npos ? 0 : std::stoi(digits.substr(e + 1));
    shown.value = prefix * std::stod(digits);
    shown.half_of_last_place = prefix * 0.5 * std::pow(10, exponent - decimals);
  } else {
    ADD_FAILURE() << "what number is \"" << text << "\"?";
  }
  return shown;
}

std::vector<fs::path> pages() {
  const fs::path root = PERTURB_SOURCE_DIR;
  std::vector<fs::path> files = {root / "README.md"};
  for (const char* folder : {"docs", "cuda"})
    for (const fs::path& file : files_below(root / folder, {".md"})) files.push_back(file);
  return files;
}

TEST(PaperNumbers, OnPagesAreThoseOfTheFiles) {
  SKIP_UNDER_SANITIZERS("reads texts and sources; the program does nothing");
  int checked = 0;
  for (const fs::path& page : pages())
    for (const Link& link : links_of(text_of(page))) {
      SCOPED_TRACE(page.string() + ": [" + link.shown + "] " + link.place);
      const std::size_t first = link.place.find(", "), second = link.place.find(", ", first + 2);
      ASSERT_NE(second, std::string::npos) << "the title says place, row, column";
      const PaperValue* value = paper_table(link.simulation)
                                    .find(link.place.substr(0, first), link.place.substr(first + 2, second - first - 2),
                                          link.place.substr(second + 2));
      ASSERT_NE(value, nullptr) << "the file has no such number";
      const Shown shown = read_shown(link.shown);
      EXPECT_NEAR(value->value, shown.value, 1.001 * shown.half_of_last_place);
      ++checked;
    }
  EXPECT_GT(checked, 10) << "pages show the papers' numbers";
}

const std::regex& link_to_paper() {
  static const std::regex link(R"re(\[[^\]\[]+\]\([^)" ]*assets/sources/\w+\.csv "[^"]*"\))re");
  return link;
}

constexpr std::string_view heading_of_differences = "## Differences from the paper";

// Each item of the differences in one line.
std::string with_items_as_lines(const std::string& text) {
  std::istringstream lines(text);
  std::string joined, line;
  for (bool inside = false; std::getline(lines, line); joined += '\n') {
    if (line.starts_with("## ")) inside = line.starts_with(heading_of_differences);
    if (inside && line.starts_with("  ") && !joined.empty()) {
      joined.back() = ' ';
      line.erase(0, 2);
    }
    joined += line;
  }
  return joined;
}

TEST(PaperNumbers, AreTypedOnNoPageButAsLinks) {
  for (const fs::path& page : pages()) {
    const std::string text = std::regex_replace(with_items_as_lines(text_of(page)), link_to_paper(), "");
    for (const PaperTable& table : paper_tables()) {
      std::istringstream lines(text);
      std::string line;
      // Own measurements may be equal by coincidence: only lines that mention a paper count.
      for (int number = 1; std::getline(lines, line); ++number)
        if (line.find("source") != std::string::npos || line.find("paper") != std::string::npos)
          expect_nothing_typed(table, page.string() + ":" + std::to_string(number), line);
    }
  }
}

// An item of "Differences from the paper": what the paper does, what is done here, and why.
struct Difference {
  std::string text, paper, here, why;  // the parts are empty if the item does not have all three
};
std::vector<Difference> differences_in(const std::string& text) {
  std::vector<Difference> items;
  std::istringstream lines(with_items_as_lines(text));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) inside = line.starts_with(heading_of_differences);
    if (!inside || !(line.starts_with("- ") || line.starts_with("| "))) continue;
    Difference& item = items.emplace_back();
    item.text = line;
    static const std::regex parts(R"re(- \*\*Paper:\*\* (\S.*) \*\*Here:\*\* (\S.*) \*\*Why:\*\* (\S.*))re");
    std::smatch found;
    if (std::regex_match(line, found, parts)) {
      item.paper = found[1];
      item.here = found[2];
      item.why = found[3];
    }
  }
  return items;
}

// The first part of a difference is only about the paper: a count of three digits there is the paper's too.
std::vector<std::string> typed_in_differences(const PaperTable& table, const std::string& text) {
  std::vector<std::string> typed;
  for (const Difference& item : differences_in(text))
    for (const Written& written : numbers_in(std::regex_replace(item.paper, link_to_paper(), "")))
      for (const PaperValue& value : table.values())
        if (digits_of(written.digits) >= 3 && value.value == std::stod(written.digits)) {
          typed.push_back(written.digits + ": " + item.text);
          break;
        }
  return typed;
}

TEST(PaperNumbers, AreLinksInListsOfDifferences) {
  const fs::path root = PERTURB_SOURCE_DIR;
  for (const PaperTable& table : paper_tables()) {
    const std::string text = text_of(root / "cuda" / table.name() / "README.md");
    EXPECT_GT(differences_in(text).size(), 5u) << table.name();
    EXPECT_EQ(typed_in_differences(table, text), std::vector<std::string>{});
  }
  const std::string head = std::string(heading_of_differences) + "\n\n";
  EXPECT_EQ(typed_in_differences(paper_table("particles"),
                                 head + "- **Paper:** Seeded with\n  3210.\n  **Here:** 5.\n  **Why:** A.\n")
                .size(),
            1u);
  EXPECT_EQ(typed_in_differences(paper_table("particles"), head + "| seeded | 3210 |\n").size(), 0u);
}

// Every difference has its reason.
std::vector<std::string> differences_without_reason(const std::string& text) {
  std::vector<std::string> bare;
  for (const Difference& item : differences_in(text))
    if (item.why.empty()) bare.push_back(item.text);
  return bare;
}

TEST(PaperNumbers, DifferencesHaveTheirReasons) {
  for (const PaperTable& table : paper_tables())
    EXPECT_EQ(differences_without_reason(text_of(fs::path(PERTURB_SOURCE_DIR) / "cuda" / table.name() / "README.md")),
              std::vector<std::string>{});
  const std::string head = std::string(heading_of_differences) + "\n\n- **Paper:** A.\n  **Here:** B.\n";
  EXPECT_EQ(differences_without_reason(head + "  **Why:** C,\n  and D.\n").size(), 0u);
  EXPECT_EQ(differences_without_reason(head + "  **Why:**\n").size(), 1u);
  EXPECT_EQ(differences_without_reason(head + "## Limits\n\n  **Why:** C.\n").size(), 1u);
}

// The pages about the papers name the study of each number of ours in the title of its link, and the command that
// repeats it.
TEST(PaperPages, NameStudiesThatExist) {
  static const std::regex title(R"re(: \.\./benchmarks/(\w+)-sources-\S+\.json "--(\w+)")re");
  static const std::regex command(R"(`perturb bench (\w+)(?:/\w+)? --(\w+))");
  std::set<std::string> named;
  for (const fs::path& page : files_below(fs::path(PERTURB_SOURCE_DIR) / "docs/papers", {".md"})) {
    const std::string text = text_of(page);
    for (const std::regex& of : {title, command})
      for (std::sregex_iterator it(text.begin(), text.end(), of), end; it != end; ++it) {
        const std::string simulation = (*it)[1], option = (*it)[2];
        const std::vector<Study> studies = studies_of(simulation);
        const bool study = std::any_of(studies.begin(), studies.end(), [&](const Study& s) { return s.id == option; });
        EXPECT_TRUE(study || option == "paper") << page << ": " << it->str();
        named.insert(simulation);
      }
  }
  for (const PaperTable& table : paper_tables()) EXPECT_TRUE(named.count(table.name())) << table.name();
}

TEST(PaperNumbers, TypedOnesAreFound) {
  const PaperTable& fibers = paper_table("fibers");
  const PaperTable& membrane = paper_table("membrane");
  EXPECT_NE(said_again(fibers, {"4099.533"}), nullptr);
  EXPECT_NE(said_again(fibers, {"4099.5"}), nullptr) << "rounded";
  EXPECT_NE(said_again(fibers, {"16.27"}), nullptr);
  EXPECT_NE(said_in_hours(fibers, "constexpr double source_cpu = 2 * 3600 + 57 * 60;"), nullptr);
  EXPECT_NE(said_in_hours(fibers, "The source needed 2 h 04 min."), nullptr);
  EXPECT_EQ(said_in_hours(fibers, "It took 2 h 20 min."), nullptr);
  EXPECT_NE(said_again(membrane, {"1.24e-4"}), nullptr);
  EXPECT_NE(said_again(membrane, {"3.0e-5"}), nullptr) << "rounded to two digits";
  EXPECT_NE(said_again(membrane, {"0.0301"}), nullptr) << "in milliseconds";
  EXPECT_EQ(said_again(membrane, {"1.3"}), nullptr);
  EXPECT_EQ(said_again(membrane, {"0.0301", true}), nullptr) << "a percentage is no time";
  const std::vector<Written> numbers = numbers_in("a = 4099.5 + x12 - b.5e3; 3.4 %");
  ASSERT_EQ(numbers.size(), 2u);
  EXPECT_EQ(numbers[0].digits, "4099.5");
  EXPECT_FALSE(numbers[0].is_percentage);
  EXPECT_TRUE(numbers[1].is_percentage);
}

}  // namespace
}  // namespace perturb
