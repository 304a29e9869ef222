// The list of studies that repeat the papers' measurements.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/bench/paper.h"
#include "cuda/core/bench/study.h"
#include "cuda/core/simulation/catalog.h"
#include "tests_places.h"

namespace perturb {
namespace {

TEST(PaperStudies, NameStudiesAndPresetsThatExist) {
  for (const SimulationInfo* info : catalog()) {
    const std::vector<PaperStudy> list = paper_studies(info->id);
    EXPECT_FALSE(list.empty()) << info->id;
    EXPECT_NO_THROW(paper_table(info->id));
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
  const std::string head = "simulation,study,preset,seconds\n";
  EXPECT_EQ(read_paper_studies(head + "wave,stages,,20\n").size(), 1u);
  for (const char* bad :
       {"wave,stages,20\n", "wave,stages,,x\n", "wave,stages,,0\n", ",stages,,2\n", "wave,stages,,20"})
    try {
      read_paper_studies(head + bad);
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
    }
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
