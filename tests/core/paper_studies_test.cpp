// The list of studies that repeat the papers' measurements.
#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "cuda/core/simulation/catalog.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/study.h"
#include "tests/support/error_thrown_by.h"
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

// The manual promises that a paper takes at most five minutes on two processor cores.
TEST(PaperStudies, EstimatesOfAPaperAddUpToAtMostFiveMinutes) {
  for (const SimulationInfo* info : catalog()) {
    double seconds = 0;
    for (const PaperStudy& study : paper_studies(info->id)) seconds += study.seconds;
    EXPECT_LE(seconds, 300) << info->id << ": move parts to --long";
  }
}

TEST(PaperStudies, ADamagedListNamesTheLine) {
  const std::string head = "simulation,study,preset,seconds,version\n";
  EXPECT_EQ(read_paper_studies(head + "wave,stages,,20,3\n").size(), 1u);
  for (const char* bad : {"wave,stages,20,1\n", "wave,stages,,x,1\n", "wave,stages,,0,1\n", ",stages,,2,1\n",
                          "wave,stages,,20,0\n", "wave,stages,,20,1.5\n", "wave,stages,,20\n", "wave,stages,,20,1"}) {
    const std::string error = error_thrown_by<Error>([&] { read_paper_studies(head + bad); });
    EXPECT_NE(error.find("line 2"), std::string::npos) << error;
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
