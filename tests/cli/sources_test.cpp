// `perturb bench SIM --paper`: its estimate, its page, its numbers, and what it keeps when it is stopped.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/cli/study_output.h"
#include "app/cli/study_run.h"
#include "app/ui/plots/plots.h"
#include "cuda/core/backend/check.h"
#include "cuda/studies/paper.h"
#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests_places.h"

namespace perturb {
namespace {

using Json = nlohmann::json;

class Sources : public ScratchFolder {};

StudyTable table_of(double value, const std::string& word) {
  StudyTable table;
  table.id = "t";
  table.title = "Title";
  table.note = "Note.";
  table.columns = {{"name", "name", ""}, {"seconds", "time", "s"}};
  table.rows = {{word, value}};
  return table;
}

TEST(ProgressEstimator, UsesExpectedThenMeasuredDurations) {
  ProgressEstimator clock({10, 20, 70});
  EXPECT_DOUBLE_EQ(clock.left(0), 100);
  EXPECT_DOUBLE_EQ(clock.left(4), 96);
  EXPECT_DOUBLE_EQ(clock.left(50), 91) << "one that takes longer than it said leaves the others, and a tenth of itself";
  clock.done(10);
  EXPECT_DOUBLE_EQ(clock.left(0), 90);
  clock.done(20);
  clock.done(70);
  EXPECT_DOUBLE_EQ(clock.left(0), 0);
  EXPECT_DOUBLE_EQ(clock.share(0), 1);
  EXPECT_EQ(clock.finished(), 3);
}

TEST(ProgressEstimator, LearnsFromAFastMachine) {
  ProgressEstimator fast({10, 20, 70});
  fast.done(1);
  EXPECT_LT(fast.left(0), 90);
  EXPECT_GT(fast.left(0), 9);
  double before = 0;
  for (double gone = 0; gone < 40; gone += 1) {
    EXPECT_GE(fast.share(gone), before) << "the bar never goes back within a study";
    before = fast.share(gone);
  }
}

TEST(ProgressEstimator, FormatsDurations) {
  EXPECT_EQ(format_duration(0.2), "0 s");
  EXPECT_EQ(format_duration(119), "119 s");
  EXPECT_EQ(format_duration(150), "3 min");
  EXPECT_EQ(format_duration(7500), "2 h 5 min");
  EXPECT_EQ(format_duration(-3), "0 s");
  EXPECT_EQ(progress_bar(0.5), "[##########----------] 50 %");
  EXPECT_EQ(progress_bar(1.5), "[####################] 100 %");
}

TEST(StudyNumbers, ReadBackToTheSameBits) {
  const double value = 0.1 + 0.2;
  StudyResult result;
  result.tables = {table_of(value, "one, \"two\"")};
  std::istringstream lines(study_csv_headings() + study_csv("s", result));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "study,table,row,column,unit,value");
  std::getline(lines, line);
  EXPECT_EQ(line, "s,t,1,name,,\"one, \"\"two\"\"\"");
  std::getline(lines, line);
  ASSERT_TRUE(line.starts_with("s,t,1,seconds,s,")) << line;
  EXPECT_EQ(std::strtod(line.c_str() + line.rfind(',') + 1, nullptr), value);
}

// A stopped study keeps its partial results; one on a second backend of its own is stopped between its parts.
TEST(StudyRun, KeepsReportedTablesWhenStopped) {
  static StopRequest request;
  request.reset();
  const BenchStudy study{"s", "Summary.", [](Backend&, const Scene&, const StudyProgress& progress) {
                           StudyResult result;
                           for (int k = 0; k < 5; ++k) {
                             progress("part " + std::to_string(k));
                             result.tables.push_back(table_of(k, "part"));
                             if (k == 2) request.request_stop();
                             report_partial(progress, result);
                           }
                           return result;
                         }};
  const auto backend = Backend::make_cpu(1);
  std::vector<std::string> said;
  const StudyOutcome outcome =
      run_study(study, *backend, {}, request, [&](const std::string& words) { said.push_back(words); });
  EXPECT_FALSE(outcome.complete);
  EXPECT_EQ(outcome.result.tables.size(), 3u);
  EXPECT_EQ(said.size(), 3u);
  request.reset();
  const StudyOutcome all = run_study(study, *backend, {}, StopRequest(), [](const std::string&) {});
  EXPECT_TRUE(all.complete);
  EXPECT_EQ(all.result.tables.size(), 5u);
}

TEST(StudyPage, SaysWhatHoldsWhatWasMeasuredAndWhatIsMissing) {
  const PaperTable& source = paper_table("lbm");
  StudyPage page;
  page.simulation = "lbm";
  page.title = "Flow";
  page.device = "a machine";
  page.date = "2001-02-03";
  page.command = "perturb bench lbm --paper";
  StudyOutcome whole, stopped, failed;
  whole.id = "one";
  whole.summary = "First.";
  whole.complete = true;
  whole.result.tables = {table_of(2e-3, "a|b"),
                         findings_table({{"a claim", "figure 1", 2, {1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}})};
  stopped.id = "two";
  stopped.summary = "Second.";
  failed.id = "three";
  failed.summary = "Third.";
  failed.error = "There is no memory.";
  page.outcomes = {whole, stopped, failed};
  page.missing = {"four"};
  page.pictures["one"] = "page-one.png";
  const std::string text = page_text(page, source);
  for (const char* wanted : {"# Flow", "holds here", "a claim", "| --one |", "a\\|b", "2.00 ms",
                             "**The run was stopped.**", "There is no memory.", "Not measured: `--four`",
                             "](page-one.png)", "`perturb bench lbm --paper`", "2001-02-03"})
    EXPECT_NE(text.find(wanted), std::string::npos) << wanted << "\n" << text;
  EXPECT_NE(text.find(source.cited()), std::string::npos);
  for (const PaperValue& value : source.values()) EXPECT_NE(text.find("| " + value.digits + " |"), std::string::npos);
  // Every row of a table has as many cells as the heading.
  std::istringstream lines(text);
  std::size_t cells = 0;
  for (std::string line; std::getline(lines, line);) {
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    if (!line.starts_with('|')) {
      cells = 0;
      continue;
    }
    if (cells == 0) cells = bars;
    EXPECT_EQ(bars, cells) << line;
  }
}

TEST_F(Sources, EndToEndInASmallSetting) {
  SKIP_AT_SMALL_REACH("tables and figures of a study; its parts have tests");
  const Outcome outcome = run("bench wave --paper --backend cpu --size 32 --page lesson.md --csv numbers.csv --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  for (const char* key : {"simulation", "source", "backend", "device", "threads", "date", "commit", "driver", "host",
                          "not_begun", "studies"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["simulation"], "wave");
  EXPECT_TRUE(json["not_begun"].empty());
  ASSERT_FALSE(json["studies"].empty());
  for (const Json& study : json["studies"]) {
    EXPECT_EQ(study["whole"], true) << study["study"];
    EXPECT_EQ(study["trouble"], "");
  }
  const std::string page = read("lesson.md"), numbers = read("numbers.csv");
  for (const char* wanted :
       {"## What holds here", "## What was measured", "## Numbers of the paper", "--stages", "--paper --size 32x32"})
    EXPECT_NE(page.find(wanted), std::string::npos) << wanted;
  EXPECT_TRUE(numbers.starts_with("study,table,row,column,unit,value\n"));
  EXPECT_NE(numbers.find("stages,"), std::string::npos);
  for (const char* wanted : {"[", "%", "left: --stages", "Wrote lesson.md", "Wrote numbers.csv"})
    EXPECT_NE(outcome.err.find(wanted), std::string::npos) << wanted << outcome.err;
}

// ---- styles of lines

// A line of each kind, of two points or of one.
StudyLine line_of(LineKind kind, bool single) {
  StudyLine line{"x", {{0, 1}}, kind};
  if (!single) line.points.push_back({1, 1});
  return line;
}

TEST(StudyPlot, LegendSaysStyleOfEachKind) {
  const auto legend = [](LineKind kind, bool single) { return legend_text(line_of(kind, single)); };
  EXPECT_EQ(legend(LineKind::measured, false), "x");
  EXPECT_EQ(legend(LineKind::paper, false), "x (dashed)");
  EXPECT_EQ(legend(LineKind::paper, true), "x (ring)");
  EXPECT_EQ(legend(LineKind::theory, false), "x (dotted)");
  EXPECT_EQ(legend(LineKind::reference, false), "x (dots and bars)");
  EXPECT_NE(legend(LineKind::reference, true), legend(LineKind::paper, true)) << "a ring is the paper's alone";
}

// Theory: dots alone. A reference: dots and bars. They lie on the line, also if it has one point, which is then the
// first; measured points stay as they are.
TEST(StudyPlot, BreaksLinesIntoDotsAndBars) {
  for (const bool single : {false, true}) {
    std::map<LineKind, std::set<std::size_t>> lengths;  // of the pieces, in points
    for (const LineKind kind : {LineKind::theory, LineKind::reference}) {
      std::size_t length = 0;
      const std::vector<CurvePoint> points = styled_points(line_of(kind, single).points, kind, {1, 1});
      ASSERT_FALSE(points.empty());
      EXPECT_EQ(points.front().x, 0);
      for (const CurvePoint& p : points) {
        if (std::isfinite(p.x)) {
          ++length;
          EXPECT_EQ(p.y, 1);
          EXPECT_LE(p.x, 1);
        } else if (length > 0) {
          lengths[kind].insert(length);
          length = 0;
        }
      }
    }
    EXPECT_EQ(lengths[LineKind::theory], (std::set<std::size_t>{1}));
    EXPECT_EQ(lengths[LineKind::reference], (std::set<std::size_t>{1, 3}));
    for (const LineKind kind : {LineKind::measured, LineKind::paper})
      EXPECT_EQ(styled_points(line_of(kind, single).points, kind, {1, 1}).size(), single ? 1u : 2u);
  }
}

// The image of a plot with this line alone: the lengths of the pieces of ink along it, in pixels, and their height.
struct Ink {
  std::vector<int> pieces;
  int height = 0;
};
Ink ink_of(LineKind kind) {
  StudyPlot plot;
  plot.title = plot.x_label = plot.y_label = "x";
  plot.lines = {line_of(kind, false)};
  const Picture picture = study_image({plot});
  constexpr std::uint32_t colour = 0xffffff;  // without alpha
  Ink ink;
  int most = 0;
  std::vector<bool> along;
  for (int row = 0; row < picture.height; ++row) {
    std::vector<bool> inked;
    for (int column = 0; column < picture.width; ++column) {
      const auto at =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(picture.width) + static_cast<std::size_t>(column);
      inked.push_back((picture.pixels[at] & colour) == (plot_ink(0) & colour));
    }
    const int count = static_cast<int>(std::count(inked.begin(), inked.end(), true));
    if (count > 0) ++ink.height;
    if (count > most) {
      most = count;
      along = inked;
    }
  }
  int length = 0;
  along.push_back(false);
  for (const bool is_ink : along) {
    if (is_ink) ++length;
    if (!is_ink && length > 0) {
      ink.pieces.push_back(length);
      length = 0;
    }
  }
  return ink;
}

// A legend of many rows once pushed the numbers of the x axis out of the image.
TEST(StudyPlot, IsHigherWithALegendOfManyRows) {
  SKIP_UNDER_SANITIZERS("another test draws a plot");
  StudyPlot plot;
  plot.title = plot.x_label = plot.y_label = "x";
  plot.lines = {line_of(LineKind::measured, false)};
  try {
    const int usual = study_image({plot}).height;
    for (int k = 0; k < 12; ++k) {
      plot.lines.push_back(line_of(LineKind::measured, false));
      plot.lines.back().label = "global memory, taps in constant memory, " + std::to_string(64 * k) + " threads";
    }
    EXPECT_GT(study_image({plot}).height, usual + 50);
    EXPECT_EQ(study_image({plot, plot}).height, 2 * study_image({plot}).height);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
}

TEST(StudyPlot, DrawsEachKindInItsOwnStyle) {
  SKIP_UNDER_SANITIZERS("another test draws a plot");
  Ink measured, paper, theory, reference;
  try {
    measured = ink_of(LineKind::measured);
    paper = ink_of(LineKind::paper);
    theory = ink_of(LineKind::theory);
    reference = ink_of(LineKind::reference);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const auto longest = [](const Ink& ink) { return *std::max_element(ink.pieces.begin(), ink.pieces.end()); };
  EXPECT_EQ(measured.pieces.size(), 1u) << "solid";
  for (const Ink* ink : {&paper, &theory, &reference}) ASSERT_GT(ink->pieces.size(), 20u) << "in pieces";
  EXPECT_LT(paper.height, theory.height) << "dashes are as thin as a line, dots are thicker";
  EXPECT_EQ(theory.height, reference.height);
  EXPECT_GT(longest(reference), 2 * longest(theory)) << "bars between dots, where theory has dots alone";
}

// A version of a study that a stored file has not reached says which of its results are invalid
// (scripts/paper_items.py leaves them out).
TEST(StoredSources, EachNewerVersionListsItsChanges) {
  const std::filesystem::path root = PERTURB_SOURCE_DIR;
  std::ifstream in(root / "assets/source_changes.csv");
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  EXPECT_EQ(line, "simulation,study,version,what,reason");
  using Name = std::pair<std::string, std::string>;  // simulation, study
  std::map<Name, std::set<int>> changed;
  while (std::getline(in, line)) {
    std::stringstream fields(line);
    std::string simulation, study, version, what, reason;
    for (std::string* field : {&simulation, &study, &version, &what}) std::getline(fields, *field, ',');
    std::getline(fields, reason);
    changed[{simulation, study}].insert(std::stoi(version));
    const std::string kind = what.substr(0, what.find(' '));
    EXPECT_TRUE((std::set<std::string>{"claim", "withdrawn", "ratio", "table", "column"}.count(kind))) << line;
    EXPECT_FALSE(reason.empty()) << line;
  }
  std::map<Name, int> stored;  // the oldest version of a file
  for (const auto& file : std::filesystem::directory_iterator(root / "docs/benchmarks")) {
    if (file.path().filename().string().find("-sources-") == std::string::npos) continue;
    std::ifstream text(file.path());
    const nlohmann::json results = nlohmann::json::parse(text);
    for (const nlohmann::json& study : results.at("studies")) {
      const int version = study.value("version", 1);
      const auto [at, first] = stored.insert({{results.at("simulation"), study.at("study")}, version});
      if (!first) at->second = std::min(at->second, version);
    }
  }
  EXPECT_GT(stored.size(), 20u);
  for (const auto& [name, version] : stored)
    for (const PaperStudy& study : paper_studies(name.first))
      for (int newer = version + 1; study.study == name.second && newer <= study.version; ++newer)
        EXPECT_TRUE(changed[name].count(newer)) << name.first << " --" << name.second << ", version " << newer;
}

// The image of a study is next to the page that shows it.
TEST_F(Sources, SavesImagesNextToPage) {
  SKIP_AT_SMALL_REACH("runs a table of timings; another test checks one row");
  const Outcome outcome = run("bench lbm --paper --backend cpu --page lesson.md");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string page = read("lesson.md");
  if (page.find("There are no plots") != std::string::npos) GTEST_SKIP() << "no offscreen OpenGL here";
  EXPECT_NE(page.find("](lesson-occupancy.png)"), std::string::npos) << page;
  EXPECT_FALSE(read("lesson-occupancy.png").empty());
}

TEST_F(Sources, AStudyAloneWritesItsNumbersToo) {
  const Outcome outcome = run("bench lbm --occupancy --backend cpu --csv numbers.csv");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(read("numbers.csv").find("\noccupancy,branches,1,gpu,,"), std::string::npos);
}

TEST_F(Sources, OldOptionNameStaysAHiddenAlias) {
  const std::string help = run("bench --help").out;
  EXPECT_NE(help.find("--paper"), std::string::npos) << help;
  EXPECT_EQ(help.find("--sources"), std::string::npos) << help;
  const Outcome outcome = run("bench --sources");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("--paper needs one simulation"), std::string::npos) << outcome.err;
}

TEST_F(Sources, RejectsInASentenceWhatMakesNoSense) {
  const auto expect_rejected = [&](const std::string& arguments, const std::vector<std::string>& words) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    for (const std::string& word : words) EXPECT_NE(outcome.err.find(word), std::string::npos) << outcome.err;
  };
  expect_rejected("bench --paper", {"--paper", "Name"});
  expect_rejected("bench wave/rain --paper", {"--paper", "Name"});
  expect_rejected("bench wave --paper --stages", {"--stages", "--paper"});
  expect_rejected("bench wave --paper --kernel fused", {"--paper", "--size"});
  expect_rejected("bench wave --paper --page lesson.txt", {"--page", ".md"});
  expect_rejected("bench wave --paper --page no/such/lesson.md", {"no/such"});
  expect_rejected("bench wave --stages --page lesson.md", {"--page", "--paper"});
  expect_rejected("bench wave --csv n.csv", {"--csv", "study"});
  expect_rejected("bench wave --stages --csv n.txt", {"--csv", ".csv"});
}

}  // namespace
}  // namespace perturb
