// The list of studies that repeat the papers' measurements.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/study.h"
#include "tests_places.h"

namespace perturb {
namespace {

TEST(PaperStudies, NameStudiesAndPresetsThatExist) {
  for (const SimulationInfo* info : catalog()) {
    const std::vector<PaperStudy> list = paper_studies(info->id);
    const bool has_table = std::any_of(paper_tables().begin(), paper_tables().end(),
                                       [&](const PaperTable& table) { return table.name() == info->id; });
    EXPECT_EQ(list.empty(), !has_table) << info->id;
    const std::vector<Study> all = studies_of(info->id);
    for (const PaperStudy& study : list) {
      EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Study& s) { return s.id == study.study; }))
          << info->id << " --" << study.study;
      if (!study.preset.empty()) {
        EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(PERTURB_SOURCE_DIR) / "assets/presets" / info->id /
                                            (study.preset + ".toml")))
            << study.preset;
      }
    }
  }
  EXPECT_TRUE(paper_studies("nothing").empty());
}

// docs/sources.md promises that a paper takes at most five minutes on two processor cores.
TEST(PaperStudies, EstimatesOfAPaperAddUpToAtMostFiveMinutes) {
  for (const SimulationInfo* info : catalog()) {
    double seconds = 0;
    for (const PaperStudy& study : paper_studies(info->id)) seconds += study.seconds;
    EXPECT_LE(seconds, 300) << info->id << ": move parts to --long";
  }
}

// docs/sources.md shows the command of each.
TEST(PaperStudies, AreListedOnPapersPage) {
  std::ifstream in(std::filesystem::path(PERTURB_SOURCE_DIR) / "docs/sources.md");
  std::stringstream text;
  text << in.rdbuf();
  for (const SimulationInfo* info : catalog())
    for (const PaperStudy& study : paper_studies(info->id)) {
      const std::string preset = study.preset.empty() ? "" : "/" + study.preset;
      EXPECT_NE(text.str().find("`perturb bench " + info->id + preset + " --" + study.study), std::string::npos)
          << info->id << " --" << study.study;
    }
}

TEST(PaperStudies, ADamagedListNamesTheLine) {
  const std::string head = "simulation,study,preset,seconds,version\n";
  EXPECT_EQ(read_paper_studies(head + "wave,stages,,20,3\n").size(), 1u);
  for (const char* bad : {"wave,stages,20,1\n", "wave,stages,,x,1\n", "wave,stages,,0,1\n", ",stages,,2,1\n",
                          "wave,stages,,20,0\n", "wave,stages,,20,1.5\n", "wave,stages,,20\n", "wave,stages,,20,1"})
    try {
      read_paper_studies(head + bad);
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
    }
}

// Without a CUDA device no finding vanishes: it is listed as not measured, with the stored result and its device.
TEST(PaperStudies, ListsFindingsThatNeedCuda) {
  const StoredFindings stored = read_stored_findings(
      "# Some device\nlbm\tsplit\ta is faster than b, N = 64\tfigure 8\t0.5: reversed here\n"
      "lbm\tsplit\tc is larger\tfigure 6\t2: holds here\nlbm\tother\td\tfigure 1\t1: alike here\n");
  EXPECT_EQ(stored.device, "Some device");
  ASSERT_EQ(stored.findings.size(), 3u);
  const Finding smaller{
      "a is faster than b, N = 8 (asked of a processor)", "figure 8", NAN, {1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};
  StudyResult result;
  result.tables = {findings_table({smaller})};
  add_findings_that_need_cuda(stored, "lbm", "split", result);
  ASSERT_EQ(result.tables.size(), 1u);
  ASSERT_EQ(result.tables[0].rows.size(), 2u) << "the first is measured here with another number";
  const auto& row = result.tables[0].rows[1];
  ASSERT_EQ(row.size(), result.tables[0].columns.size());
  EXPECT_EQ(std::get<std::string>(row[0]), "c is larger");
  EXPECT_EQ(std::get<std::string>(row.back()),
            "not measured here: needs a CUDA device (stored, Some device: 2: holds here)");
  StudyResult none;
  add_findings_that_need_cuda(stored, "lbm", "split", none);
  ASSERT_EQ(none.tables.size(), 1u);
  EXPECT_EQ(none.tables[0].rows.size(), 2u);
  EXPECT_THROW(read_stored_findings("# x\nlbm\tsplit\tc\n"), Error);
  EXPECT_THROW(read_stored_findings("lbm\n"), Error);
}

// Every stored finding belongs to a study of its paper.
TEST(PaperStudies, StoredFindingsAreOfStudies) {
  EXPECT_GT(stored_findings().findings.size(), 100u);
  for (const StoredFinding& finding : stored_findings().findings) {
    const std::vector<PaperStudy> list = paper_studies(finding.simulation);
    EXPECT_TRUE(std::any_of(list.begin(), list.end(), [&](const PaperStudy& s) { return s.study == finding.study; }))
        << finding.simulation << " --" << finding.study;
  }
}

// Parts that a study omits are named with the option that includes it, and with --size that this is the reason.
TEST(PaperStudies, SaysWhatIsLeftOutAndWhichOptionIncludesIt) {
  EXPECT_EQ(left_out_note(""), "");
  EXPECT_EQ(left_out_note("N = 32000"), " Left out because of time: N = 32000; use --long to include them.");
  const StudyRequestScope given({.size_given = true});
  EXPECT_EQ(left_out_note("N = 32000"), " Left out by --size: N = 32000.");
}

// Partial results of a study reach a StudyReporter; other callers need not handle them.
TEST(PaperStudies, KeepsPartialResults) {
  std::string words;
  std::size_t tables = 0;
  const StudyProgress keeps =
      StudyReporter{[&](const std::string& w) { words = w; }, [&](const StudyResult& r) { tables = r.tables.size(); }};
  keeps("N = 8");
  report_partial(keeps, StudyResult{{StudyTable{}}, {}});
  EXPECT_EQ(words, "N = 8");
  EXPECT_EQ(tables, 1u);
  const StudyProgress plain = [](const std::string&) {};
  EXPECT_NO_THROW(report_partial(plain, StudyResult{}));
}

}  // namespace
}  // namespace perturb
