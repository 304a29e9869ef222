// The items of the papers (assets/paper_items.tsv), which scripts/check_rules compares with the stored results.
#include "cuda/studies/paper_items.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/studies/paper.h"
#include "tests/support/error_thrown_by.h"

namespace perturb {
namespace {

using Strings = std::vector<std::string>;

std::vector<const SimulationInfo*> with_paper() {
  std::vector<const SimulationInfo*> list;
  for (const SimulationInfo* info : catalog())
    if (!info->paper_page.empty()) list.push_back(info);
  return list;
}

TEST(PaperItems, EachPaperHasClaimsWithAVerdictAndBothMachines) {
  EXPECT_EQ(with_paper().size(), paper_tables().size());
  const std::set<std::string> words = {"yes", "no", "unclear", "not comparable"};
  std::size_t all = 0;
  for (const SimulationInfo* info : with_paper()) {
    std::map<std::string, int> kinds;
    const std::vector<PaperItem> items = paper_items(info->paper_page);
    for (const PaperItem& item : items) {
      SCOPED_TRACE(item.paper + ": " + item.item);
      ++kinds[item.kind];
      EXPECT_TRUE(words.count(item.holds) || (item.holds.empty() && item.kind != "claim")) << item.holds;
      if (item.kind != "machine" && item.kind != "claim") {
        EXPECT_FALSE(item.place.empty());
      }
      if (item.kind == "number" || item.kind == "setting") {
        EXPECT_FALSE(item.printed.empty());
        EXPECT_TRUE(item.holds.empty()) << "cells of a table have no verdict";
      }
      if (item.kind == "untested" || (item.kind == "finding" && item.holds.empty())) {
        EXPECT_FALSE(item.why.empty());
      }
    }
    EXPECT_EQ(kinds["machine"], 2);
    EXPECT_GE(kinds["claim"], 5);
    EXPECT_LE(kinds["claim"], 12) << "the page has the main ones";
    all += items.size();
  }
  EXPECT_EQ(paper_items().size(), all);
  EXPECT_TRUE(paper_items("nothing").empty());
}

// A number of a paper is an item of its own, or the paper's number of a finding at its place.
TEST(PaperItems, HaveEveryNumberOfThePapers) {
  for (const SimulationInfo* info : with_paper()) {
    const std::vector<PaperItem> items = paper_items(info->paper_page);
    for (const PaperValue& value : paper_table(info->id).values())
      EXPECT_TRUE(std::any_of(items.begin(), items.end(),
                              [&](const PaperItem& item) {
                                if (item.place.find(value.place) == std::string::npos) return false;
                                return item.kind == "finding" ? item.printed.find(value.digits) != std::string::npos
                                                              : item.item == value.row + ": " + value.column &&
                                                                    item.printed.starts_with(value.digits);
                              }))
          << info->paper_page << ": " << value.place << ", " << value.row << ", " << value.column;
  }
}

TEST(PaperItems, NameStudiesOfTheirPaper) {
  std::size_t findings = 0;
  for (const SimulationInfo* info : with_paper()) {
    const std::vector<PaperStudy> studies = paper_studies(info->id);
    for (const PaperItem& item : paper_items(info->paper_page)) {
      if (item.study.empty()) continue;
      findings += item.kind == "finding" ? 1 : 0;
      EXPECT_TRUE(std::any_of(studies.begin(), studies.end(),
                              [&](const PaperStudy& study) { return study.study == item.study; }))
          << item.paper << " --" << item.study;
    }
  }
  EXPECT_GT(findings, 50u);
}

// Both ratios of the thesis's main number, and no verdict from the one that is not the thesis's.
TEST(PaperItems, TheThesissRatioIsThatOfOneFunction) {
  const std::vector<PaperItem> found = matching_items(paper_items("fibers"), "table 6.1");
  int cells = 0, claims = 0;
  for (const PaperItem& item : found) {
    claims += item.kind == "claim" && item.printed == "16.27" ? 1 : 0;
    if (item.kind != "number" || item.item.find("ratio") == std::string::npos) continue;
    ++cells;
    EXPECT_NE(item.h200.find("with the copying of chunks"), std::string::npos) << item.h200;
    EXPECT_NE(item.h200.find("pinned memory"), std::string::npos) << item.h200;
    EXPECT_EQ(item.two_cores, "needs a CUDA device");
  }
  EXPECT_EQ(cells, 10);
  EXPECT_EQ(claims, 1);
}

TEST(PaperItems, FindsPlaces) {
  EXPECT_EQ(places_of("tables 4.2 and 4.6"), (Strings{"table 4.2", "table 4.6"}));
  EXPECT_EQ(places_of("chapter 5, table 4.3"), (Strings{"chapter 5", "table 4.3"}));
  EXPECT_EQ(places_of("figures 5.7, 5.8"), (Strings{"figure 5.7", "figure 5.8"}));
  EXPECT_EQ(places_of("table B.1"), (Strings{"table b.1"}));
  EXPECT_EQ(places_of("3.2"), (Strings{"section 3.2"})) << "a page's short form";
  EXPECT_EQ(places_of("section CUDA"), Strings{});
  const auto item = [](const char* place, const char* text) {
    PaperItem made;
    made.kind = "finding";
    made.place = place;
    made.item = text;
    return made;
  };
  const std::vector<PaperItem> items = {item("figure 8", "a gain"), item("figure 20", "blocks of 8 x 8 in a figure"),
                                        item("figures 8, 9", "a ring"), item("section CUDA", "the ring opens")};
  const auto found = [&](const char* wanted) {
    Strings texts;
    for (const PaperItem& one : matching_items(items, wanted)) texts.push_back(one.item);
    return texts;
  };
  EXPECT_EQ(found("Figure 8"), (Strings{"a gain", "a ring"})) << "not figure 20 with an 8 in its text";
  EXPECT_EQ(found("ring"), (Strings{"a ring", "the ring opens"}));
  EXPECT_EQ(found("section cuda"), (Strings{"the ring opens"}));
  EXPECT_EQ(found("opens ring"), (Strings{"the ring opens"})) << "words in another order";
  EXPECT_EQ(found("rin"), Strings{}) << "whole words";
  EXPECT_EQ(found(" "), Strings{});
}

TEST(PaperItems, ADamagedFileNamesTheLine) {
  const std::string head = "paper\tkind\tplace\titem\tprinted\th200\ttwo_cores\tholds\twhy\tstudy\n",
                    line = "flow\tfinding\tfigure 8\ta\t1\t2\t\tyes\t\tsplit\n";
  const std::vector<PaperItem> items = read_paper_items(head + line);
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].place, "figure 8");
  EXPECT_EQ(items[0].two_cores, "");
  EXPECT_EQ(items[0].study, "split");
  EXPECT_THROW(read_paper_items(line), Error);
  for (const char* bad : {"flow\tfinding\n", "flow\tfinding\t\t\t\t\t\t\t\t\n", "\tfinding\t\ta\t\t\t\t\t\t\n",
                          "flow\tfinding\tfigure 8\ta\t1\t2\t\tyes\t\tsplit"}) {
    const std::string error = error_thrown_by<Error>([&] { read_paper_items(head + bad); });
    EXPECT_NE(error.find("line 2"), std::string::npos) << error;
  }
}

// Without a CUDA device no finding vanishes: it is listed as not measured, with the paper's number, the stored result
// and its device.
TEST(PaperItems, ListsFindingsThatNeedCuda) {
  const std::vector<PaperItem> items = read_paper_items(
      "paper\tkind\tplace\titem\tprinted\th200\ttwo_cores\tholds\twhy\tstudy\n"
      "flow\tmachine\t\tH200\tSome device, 2026\t\t\t\t\t\n"
      "flow\tfinding\tfigure 8\ta is faster than b, N = 64\t\t0.5\t\tno\t\tsplit\n"
      "flow\tfinding\tfigure 6\tc is larger\t30.1 %\t2\t\tyes\t\tsplit\n"
      "flow\tfinding\tfigure 6\tonly here\t\t\t2\tyes\t\tsplit\n"
      "flow\tfinding\tfigure 1\td\t\t1\t\tno\t\tother\n");
  const Finding smaller{
      "a is faster than b, N = 8 (asked of a processor)", "figure 8", NAN, {1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};
  StudyResult result;
  result.tables = {findings_table({smaller})};
  add_findings_that_need_cuda(items, "split", result);
  ASSERT_EQ(result.tables.size(), 1u);
  ASSERT_EQ(result.tables[0].rows.size(), 2u) << "the first is measured here with another number";
  const auto& row = result.tables[0].rows[1];
  ASSERT_EQ(row.size(), result.tables[0].columns.size());
  EXPECT_EQ(std::get<std::string>(row[0]), "c is larger");
  EXPECT_EQ(row[result.tables[0].index_of("source_ratio")], StudyValue(PrintedNumber{30.1, "30.1"}));
  EXPECT_EQ(std::get<std::string>(row.back()), "not measured here: needs a CUDA device (stored, Some device: 2)");
  StudyResult none;
  add_findings_that_need_cuda(items, "split", none);
  ASSERT_EQ(none.tables.size(), 1u);
  EXPECT_EQ(none.tables[0].rows.size(), 2u);
}

}  // namespace
}  // namespace perturb
