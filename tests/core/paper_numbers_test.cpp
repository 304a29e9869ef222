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

// Empties the lines that scripts/source_results.py writes: they are generated, and its --check rejects other lines.
std::string without_written_lines(const std::string& text) {
  std::istringstream lines(text);
  std::string kept, line;
  for (bool written = false; std::getline(lines, line); kept += '\n') {
    if (line.starts_with("<!--")) written = line.find("by scripts/source_results.py --write") != std::string::npos;
    if (!written) kept += line;
  }
  return kept;
}

TEST(PaperNumbers, AreTypedOnNoPageButAsLinks) {
  EXPECT_EQ(without_written_lines("a\n<!-- x: by scripts/source_results.py --write -->\nb\n<!-- end of x -->\nc\n"),
            "a\n\n\n<!-- end of x -->\nc\n");
  for (const fs::path& page : pages()) {
    const std::string text = std::regex_replace(without_written_lines(text_of(page)), link_to_paper(), "");
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

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  for (std::size_t at = 1; at < row.size();) {
    const std::size_t end = std::min(row.find(" |", at), row.size());
    cells.push_back(row.substr(at + 1, end > at ? end - at - 1 : 0));
    at = end + 2;
  }
  return cells;
}

// The first column of "Differences from the paper" is only about the paper: a count of three digits there is the
// paper's too.
std::vector<std::string> typed_in_differences(const PaperTable& table, const std::string& text) {
  std::vector<std::string> typed;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("## ", 0) == 0) inside = line.rfind("## Differences from the paper", 0) == 0;
    if (!inside || line.rfind("| ", 0) != 0) continue;
    for (const Written& written : numbers_in(std::regex_replace(cells_of(line).at(0), link_to_paper(), "")))
      for (const PaperValue& value : table.values())
        if (digits_of(written.digits) >= 3 && value.value == std::stod(written.digits)) {
          typed.push_back(written.digits + ": " + line);
          break;
        }
  }
  return typed;
}

TEST(PaperNumbers, AreLinksInListsOfDifferences) {
  const fs::path root = PERTURB_SOURCE_DIR;
  for (const PaperTable& table : paper_tables()) {
    const std::string text = text_of(root / "cuda" / table.name() / "README.md");
    EXPECT_NE(text.find("## Differences from the paper"), std::string::npos) << table.name();
    EXPECT_EQ(typed_in_differences(table, text), std::vector<std::string>{});
  }
  const std::string head = "## Differences from the paper\n\n| of the paper | here |\n|---|---|\n";
  EXPECT_EQ(typed_in_differences(paper_table("particles"), head + "| seeded with 3210 | 5 |\n").size(), 1u);
  EXPECT_EQ(typed_in_differences(paper_table("particles"), head + "| seeded | 3210 |\n").size(), 0u);
}

// Every difference has its reason.
std::vector<std::string> differences_without_reason(const std::string& text) {
  std::vector<std::string> bare;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("## ", 0) == 0) inside = line.rfind("## Differences from the paper", 0) == 0;
    if (!inside || line.rfind("| ", 0) != 0 || line.rfind("| ---", 0) == 0) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() < 3 || cells[2].find_first_not_of(' ') == std::string::npos) bare.push_back(line);
  }
  return bare;
}

TEST(PaperNumbers, DifferencesHaveTheirReasons) {
  for (const PaperTable& table : paper_tables())
    EXPECT_EQ(differences_without_reason(text_of(fs::path(PERTURB_SOURCE_DIR) / "cuda" / table.name() / "README.md")),
              std::vector<std::string>{});
  const std::string head = "## Differences from the paper\n\n| of the paper | here | why |\n|---|---|---|\n";
  EXPECT_EQ(differences_without_reason(head + "| a | b | c |\n").size(), 0u);
  EXPECT_EQ(differences_without_reason(head + "| a | b | |\n").size(), 1u);
}

// In table columns headed "source", all numbers that are not links: values computed from a paper's numbers have a
// heading that says so.
std::vector<std::string> typed_in_columns_of_papers(const std::string& text) {
  std::vector<std::string> typed;
  std::vector<bool> of_paper;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| ", 0) != 0) {
      if (line.rfind("|---", 0) != 0) of_paper.clear();
      continue;
    }
    const std::vector<std::string> cells = cells_of(line);
    const bool heading = of_paper.empty();
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (heading)
        of_paper.push_back(cells[k].rfind("source", 0) == 0 && cells[k].find("computed") == std::string::npos);
      else if (k < of_paper.size() && of_paper[k] &&
               std::regex_replace(cells[k], link_to_paper(), "").find_first_of("0123456789") != std::string::npos)
        typed.push_back(line);
    }
  }
  return typed;
}

TEST(PaperNumbers, AreLinksInPaperColumns) {
  const std::string text = text_of(fs::path(PERTURB_SOURCE_DIR) / "docs/sources.md");
  EXPECT_EQ(typed_in_columns_of_papers(text), std::vector<std::string>{});
  EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 500) << "the page has its tables";
  EXPECT_NE(text.find("| source, "), std::string::npos) << "... and the works' columns";
  const std::string head = "| N | source, time | source, computed: share |\n|---|---|---|\n";
  EXPECT_EQ(typed_in_columns_of_papers(head + "| 1 | [8 ms](../assets/sources/a.csv \"b, c, d\") | 3 % |\n").size(),
            0u);
  EXPECT_EQ(typed_in_columns_of_papers(head + "| 1 | 8 ms | 3 % |\n").size(), 1u);
  EXPECT_EQ(typed_in_columns_of_papers(head + "| 1 | – | 3 % |\n").size(), 0u);
}

// Each command of docs/sources.md exists in the program, and each simulation that follows a paper has one.
TEST(PaperPage, NamesStudiesThatExist) {
  const std::string text = text_of(fs::path(PERTURB_SOURCE_DIR) / "docs/sources.md");
  static const std::regex command(R"(`perturb bench (\w+)(?:/\w+)? --(\w+))");
  std::set<std::string> named;
  for (std::sregex_iterator it(text.begin(), text.end(), command), end; it != end; ++it) {
    const std::string simulation = (*it)[1], option = (*it)[2];
    named.insert(simulation);
    const std::vector<Study> studies = studies_of(simulation);
    const bool study = std::any_of(studies.begin(), studies.end(), [&](const Study& s) { return s.id == option; });
    EXPECT_TRUE(study || option == "kernel" || option == "paper") << it->str();
  }
  for (const PaperTable& table : paper_tables()) EXPECT_TRUE(named.count(table.name())) << table.name();
}

// ... and the page names every study of a paper and shows every file of its results (scripts/check_rules runs
// scripts/source_results.py, which compares the page with the files).
TEST(PaperPage, NamesAllStudiesAndAllResults) {
  const fs::path root = PERTURB_SOURCE_DIR;
  const std::string text = text_of(root / "docs/sources.md");
  for (const PaperTable& table : paper_tables()) {
    EXPECT_NE(text.find("<!-- results of " + table.name() + ":"), std::string::npos) << table.name();
    for (const PaperStudy& study : paper_studies(table.name()))
      EXPECT_NE(text.find("--" + study.study), std::string::npos) << table.name() << " --" << study.study;
  }
  for (const fs::path& file : files_below(root / "docs/benchmarks", {".json"}))
    if (const std::string name = file.filename().string(); name.find("-sources-") != std::string::npos) {
      EXPECT_NE(text.find("(benchmarks/" + name + ")"), std::string::npos) << name;
    }
  EXPECT_EQ(text.find("Not yet"), std::string::npos) << "what a study does not have is missing from the program";
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
