// `perturb paper`.
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

using Json = nlohmann::json;

class PaperCommand : public ScratchFolder {};

TEST_F(PaperCommand, ListsPapersWithTheirCounts) {
  const Outcome outcome = run("paper");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* wanted : {"discs", "Eriksson", "not comparable", "perturb paper fibers 'table 6.1'"})
    EXPECT_NE(outcome.out.find(wanted), std::string::npos) << outcome.out;
  const Json json = Json::parse(run("paper --json").out);
  ASSERT_EQ(json["papers"].size(), 5u);
  for (const Json& paper : json["papers"]) EXPECT_GT(paper["claims"]["yes"], 0) << paper;
}

TEST_F(PaperCommand, ShowsClaimsOfAPaperAndItemsOfAPlace) {
  const Outcome claims = run("paper flow");
  ASSERT_EQ(claims.code, 0) << claims.err;
  for (const char* wanted : {"docs/papers/flow.md", "Split kernels are faster", "holds?", "30.1 %", "NVIDIA H200"})
    EXPECT_NE(claims.out.find(wanted), std::string::npos) << claims.out;
  const Outcome table = run("paper fibers \"table 6.1\"");
  ASSERT_EQ(table.code, 0) << table.err;
  for (const char* wanted : {"16.27", "1000: CPU to GPU time ratio", "16.84", "perturb bench fibers --interaction"})
    EXPECT_NE(table.out.find(wanted), std::string::npos) << table.out;
  EXPECT_EQ(table.out.find("table 6.2"), std::string::npos) << table.out;
  const Json json = Json::parse(run("paper particles \"figure 7\" --json").out);
  EXPECT_EQ(json["paper"], "discs") << "by the name of its simulation too";
  EXPECT_TRUE(json["machines"].contains("H200"));
  ASSERT_FALSE(json["items"].empty());
  for (const Json& item : json["items"])
    for (const char* key : {"kind", "place", "item", "paper", "h200", "two_cores", "holds", "why", "command"})
      EXPECT_TRUE(item.contains(key)) << key;
}

TEST_F(PaperCommand, SuggestsANameForAMisspeltOne) {
  for (const auto& [arguments, wanted] :
       {std::pair("paper fibres", "did you mean \"fibers\"?"), std::pair("paper nothing", "\"perturb paper\" lists"),
        std::pair("paper fibers \"tabel 6.1\"", "did you mean \"table 6.1\"?"),
        std::pair("paper flow zebra", "\"perturb paper flow\" lists")}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.err.find(wanted), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace perturb
