// Sweeps of many runs: their file, their lines, and what remains of them when the program ends early.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/cli/shard.h"
#include "app/io/files/line_file.h"
#include "app/io/preset/sweeps.h"
#include "cuda/core/backend/check.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"
#include "tests/support/virtual_screen.h"
#include "tests_places.h"

namespace perturb {
namespace {

using Json = nlohmann::json;

// Twelve short runs: two sizes, two values, three seeds.
constexpr const char* twelve_runs =
    "scene = \"wave/rain\"\n"
    "steps = 40\n"
    "size = [\"32x32\", \"48x32\"]\n"
    "seeds = 3\n"
    "[parameters]\n"
    "damping = [0.001, 0.01]\n";

class Sweeps : public ScratchFolder {
 protected:
  // The lines of a file, each of which must be whole.
  std::vector<Json> lines(const std::string& name) const {
    const std::string text = read(name);
    EXPECT_TRUE(text.empty() || text.ends_with('\n')) << text;
    std::vector<Json> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      all.push_back(Json::parse(line, nullptr, false));
      EXPECT_TRUE(all.back().is_object()) << line;
    }
    return all;
  }
  // The same without times, in the order of the runs.
  std::vector<Json> timeless(const std::vector<std::string>& names) const {
    std::vector<Json> all;
    for (const std::string& name : names)
      for (Json& line : lines(name)) {
        line.erase("seconds");
        all.push_back(std::move(line));
      }
    std::sort(all.begin(), all.end(), [](const Json& a, const Json& b) { return a["run"] < b["run"]; });
    return all;
  }
  // The message about a sweep file that is refused.
  std::string refusal(const std::string& text) const {
    const std::string file = write("bad.toml", text);
    const std::string message = error_thrown_by([&] { load_sweep(file); });
    return message.starts_with(file) ? message.substr(path("").size()) : message;
  }
  // A sweep of two runs at a time that has finished three.
  std::unique_ptr<Process> started_until_three_lines() const {
    auto program = std::make_unique<Process>(
        std::vector<std::string>{PERTURB_BINARY, "sweep", "runs.toml", "--backend", "cpu", "--at-once", "2"}, path(""),
        std::vector<std::pair<std::string, std::string>>{});
    const auto finished = [&] {
      const std::string text = read("runs.jsonl");
      return std::count(text.begin(), text.end(), '\n');
    };
    EXPECT_TRUE(eventually([&] { return program->ended() || finished() == 3; }));
    EXPECT_FALSE(program->ended()) << read("output.txt");
    return program;
  }
  std::vector<double> values(const std::string& range) const {
    write("range.toml", "scene = \"wave/rain\"\nsteps = 1\n[parameters]\nwave_speed = " + range + "\n");
    return load_sweep(path("range.toml")).parameters.front().values;
  }
};

TEST_F(Sweeps, RunsHaveBitsAndNumbersOfSingleRuns) {
  write("lift.toml",
        "scene = \"lbm/cylinder\"\nsteps = 300\nsize = \"96x32\"\nseeds = [3]\n[parameters]\n"
        "collision = [\"trt\", \"bgk\"]\nreynolds = { from = 60, to = 90, step = 30 }\noutlines = \"cells\"\n");
  const Outcome outcome = run("sweep lift.toml --backend cpu --at-once 2");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<Json> all = timeless({"lift.jsonl"});
  ASSERT_EQ(all.size(), 4U);
  const char* const options[] = {"trt --set reynolds=60", "trt --set reynolds=90", "bgk --set reynolds=60",
                                 "bgk --set reynolds=90"};
  std::set<std::string> hashes;
  for (std::size_t k = 0; k < reach<std::size_t>(4, 2); ++k) {
    const Outcome single = run(std::string("run lbm/cylinder --backend cpu --steps 300 --size 96x32 --seed 3 --json ") +
                               "--set outlines=cells --threads 3 --set collision=" + options[k]);
    ASSERT_EQ(single.code, 0) << single.err;
    Json one = Json::parse(single.out), line = all[k];
    EXPECT_EQ(line["run"], k + 1);
    EXPECT_EQ(one["exit_code"], 0);
    hashes.insert(one["hash"]);
    one.erase("seconds");
    line.erase("run");
    line.erase("id");
    EXPECT_EQ(one, line);
    EXPECT_EQ(line["parameters"]["outlines"], "cells");
    EXPECT_TRUE(line["numbers"]["drag_coefficient"]["value"].is_number()) << line;
    EXPECT_EQ(line["numbers"]["drag_coefficient"]["samples"], 1);
    EXPECT_TRUE(line["numbers"]["strouhal"]["value"].is_null()) << "no oscillation in so few steps";
    EXPECT_EQ(line["numbers"]["max_speed"]["unit"], "cell/step");
    EXPECT_GT(line["gauges"]["speed"]["value"], 0);
  }
  EXPECT_EQ(hashes.size(), reach<std::size_t>(4, 2)) << "different runs have different hashes";
}

TEST_F(Sweeps, EverySimulationHasBitsOfSingleRuns) {
  const std::pair<std::string, std::string> scenes[] = {{"wave/surface", "48x40"},
                                                        {"lbm/cavity", "48x40"},
                                                        {"particles/gas", ""},
                                                        {"fibers/ring", "12x1"},
                                                        {"membrane/load", "32x32"}};
  for (const auto& [scene, size] : scenes) {
    write("s.toml",
          "scene = \"" + scene + "\"\nsteps = 30\nseeds = 3\n" + (size.empty() ? "" : "size = \"" + size + "\"\n"));
    const Outcome outcome = run("sweep s.toml --backend cpu --at-once 3 --output s.jsonl");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::vector<Json> all = timeless({"s.jsonl"});
    const Outcome single =
        run(scene + (size.empty() ? "" : " --size " + size) + " --backend cpu --threads 1 --steps 30 --seed 2 --json");
    ASSERT_EQ(single.code, 0) << single.err;
    const Json one = Json::parse(single.out);
    ASSERT_EQ(all.size(), 3U);
    for (const char* key : {"hash", "numbers", "gauges", "steps", "time", "seed", "size"})
      EXPECT_EQ(all[1][key], one[key]) << scene << " " << key;
    EXPECT_NE(all[0]["hash"], one["hash"]) << scene << ": another seed";
    std::filesystem::remove(path("s.jsonl"));
  }
}

TEST_F(Sweeps, SamplesAreThoseOfATable) {
  write(
      "s.toml",
      "scene = \"wave/rain\"\nsteps = 45\nsize = \"32x32\"\n[record]\nnumbers = [\"energy\"]\nevery = 10\nfrom = 5\n");
  ASSERT_EQ(run("sweep s.toml --backend cpu").code, 0);
  const Json number = lines("s.jsonl").at(0)["numbers"]["energy"];
  ASSERT_EQ(run("wave/rain --backend cpu --size 32x32 --steps 45 --csv t.csv --csv-every 5").code, 0);
  std::istringstream table(read("t.csv"));
  std::string row;
  std::getline(table, row);
  std::istringstream headings(row);
  std::size_t column = 0;
  for (std::string heading; std::getline(headings, heading, ',') && !heading.starts_with("energy");) ++column;
  std::vector<double> samples;
  double last = 0;
  while (std::getline(table, row)) {
    std::istringstream cells(row);
    std::string cell, step;
    std::getline(cells, step, ',');
    for (std::size_t k = 1; k <= column; ++k) std::getline(cells, cell, ',');
    last = std::stod(cell);
    if (std::stoi(step) % 10 == 5) samples.push_back(last);
  }
  ASSERT_EQ(samples.size(), 5U);  // 5, 15, 25, 35, 45
  double sum = 0;
  for (const double sample : samples) sum += sample;
  EXPECT_EQ(number["samples"], 5);
  EXPECT_DOUBLE_EQ(number["mean"], sum / 5);
  EXPECT_EQ(number["minimum"], *std::min_element(samples.begin(), samples.end()));
  EXPECT_EQ(number["maximum"], *std::max_element(samples.begin(), samples.end()));
  EXPECT_EQ(number["value"], last);
}

TEST_F(Sweeps, AnyNumberOfWorkersGivesTheSameLines) {
  write("a.toml", twelve_runs);
  for (const char* workers : {"1", "2", "5"})
    ASSERT_EQ(run("sweep a.toml --backend cpu --output " + std::string(workers) + ".jsonl --at-once " + workers).code,
              0);
  const std::vector<Json> one = timeless({"1.jsonl"});
  ASSERT_EQ(one.size(), 12U);
  EXPECT_EQ(timeless({"2.jsonl"}), one);
  EXPECT_EQ(timeless({"5.jsonl"}), one);
  // The seed changes fastest, and the size slowest.
  EXPECT_EQ(one[1]["seed"], 2);
  EXPECT_EQ(one[3]["parameters"]["damping"], 0.01);
  EXPECT_EQ(one[6]["size"], (Json{48, 32}));
}

TEST_F(Sweeps, ShardsTogetherAreAllRunsOnce) {
  write("a.toml", twelve_runs);
  ASSERT_EQ(run("sweep a.toml --backend cpu").code, 0);
  for (const char* shard : {"1/5", "2/5", "3/5"})
    ASSERT_EQ(run("sweep a.toml --backend cpu --shard " + std::string(shard)).code, 0);
  ASSERT_EQ(run("sweep a.toml --backend cpu --shard auto",
                "SLURM_ARRAY_TASK_ID=13 SLURM_ARRAY_TASK_COUNT=5 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_MAX=14")
                .code,
            0);
  ASSERT_EQ(run("sweep a.toml --backend cpu --shard auto/5", "PARALLEL_SEQ=5").code, 0);
  EXPECT_EQ(timeless({"a-1-of-5.jsonl", "a-2-of-5.jsonl", "a-3-of-5.jsonl", "a-4-of-5.jsonl", "a-5-of-5.jsonl"}),
            timeless({"a.jsonl"}));
}

// Three short runs, then three that take minutes.
constexpr const char* short_and_long_runs =
    "scene = \"wave/rain\"\n"
    "steps = 20000\n"
    "size = [\"16x16\", \"1024x1024\"]\n"
    "seeds = 3\n"
    "[record]\n"
    "numbers = [\"energy\"]\n";

TEST_F(Sweeps, ResumeAfterAKillTakesEachRunOnce) {
  write("runs.toml", short_and_long_runs);
  const auto program = started_until_three_lines();
  kill(program->id(), SIGKILL);
  ASSERT_TRUE(eventually([&] { return program->ended(); }));
  EXPECT_EQ(program->code(), 128 + SIGKILL);
  ASSERT_EQ(lines("runs.jsonl").size(), 3U);
  // A kill within the write of a line.
  const std::string whole = read("runs.jsonl"), part = whole.substr(0, 40);
  write("runs.jsonl", whole + part);
  const std::string text = short_and_long_runs;
  write("runs.toml", std::string(text).replace(text.find("1024x1024"), 9, "24x16"));

  const Outcome refused = run("sweep runs.toml --backend cpu");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("--resume"), std::string::npos) << refused.err;
  EXPECT_EQ(read("runs.jsonl"), whole + part) << "nothing is lost without --resume";

  const Outcome resumed = run("sweep runs.toml --backend cpu --resume");
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("3 runs of 6 are finished already"), std::string::npos) << resumed.err;
  EXPECT_TRUE(read("runs.jsonl").starts_with(whole)) << "the finished runs are kept as they were";
  ASSERT_EQ(run("sweep runs.toml --backend cpu --output all.jsonl").code, 0);
  const std::vector<Json> all = timeless({"all.jsonl"});
  EXPECT_EQ(all.size(), 6U);
  EXPECT_EQ(timeless({"runs.jsonl"}), all);
  // Nothing is left to do.
  const std::string before = read("runs.jsonl");
  EXPECT_EQ(run("sweep runs.toml --backend cpu --resume").code, 0);
  EXPECT_EQ(read("runs.jsonl"), before);
}

TEST_F(Sweeps, CtrlCKeepsWholeLinesAndNamesResume) {
  write("runs.toml", short_and_long_runs);
  const auto program = started_until_three_lines();
  // The file belongs to the running program.
  const Outcome second = run("sweep runs.toml --backend cpu --resume");
  EXPECT_EQ(second.code, 2);
  EXPECT_NE(second.err.find("in use"), std::string::npos) << second.err;
  program->send(SIGINT);
  ASSERT_TRUE(eventually([&] { return program->ended(); }));
  EXPECT_EQ(program->code(), 1);
  EXPECT_EQ(lines("runs.jsonl").size(), 3U) << "an interrupted run has no line";
  EXPECT_NE(read("output.txt").find("Interrupted: 3 of 6 runs are finished. Add --resume"), std::string::npos)
      << read("output.txt");
}

TEST_F(Sweeps, FailedRunsAreLinesToo) {
  write("count.toml",
        "scene = \"particles/gas\"\nsteps = 3\n[parameters]\ncount = [50, 100000, 60]\n[record]\nnumbers = "
        "[\"energy\"]\n");
  const Outcome rejected = run("sweep count.toml --backend cpu --at-once 1");
  EXPECT_EQ(rejected.code, 1) << "a run failed";
  EXPECT_NE(rejected.out.find("3 runs, 1 failed"), std::string::npos) << rejected.out;
  std::vector<Json> all = timeless({"count.jsonl"});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0]["exit_code"], 0);
  EXPECT_EQ(all[1]["exit_code"], 2);
  EXPECT_NE(all[1]["message"].get<std::string>().find("do not fit"), std::string::npos) << all[1];
  EXPECT_EQ(all[1]["parameters"]["count"], 100000);
  EXPECT_EQ(all[1]["hash"], "");
  EXPECT_EQ(all[2]["exit_code"], 0);

  // The wave is unstable with the long step, and stops.
  write("step.toml", "scene = \"wave/rain\"\nsteps = 600\nsize = \"32x32\"\n[parameters]\ntime_step = [0.5, 2]\n");
  EXPECT_EQ(run("sweep step.toml --backend cpu").code, 1);
  all = timeless({"step.jsonl"});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["exit_code"], 0);
  EXPECT_EQ(all[0]["gauges"]["courant"]["level"], "good");
  EXPECT_EQ(all[1]["exit_code"], 1);
  EXPECT_LT(all[1]["steps"], 600);
  EXPECT_NE(all[1]["message"].get<std::string>().find("not finite"), std::string::npos) << all[1];
  EXPECT_EQ(all[1]["gauges"]["courant"]["level"], "exceeded");
  EXPECT_NEAR(all[1]["gauges"]["courant"]["value"], 2, 1e-6);
  // Failed runs are finished too: they would fail again.
  const Outcome again = run("sweep step.toml --backend cpu --resume");
  EXPECT_EQ(again.code, 1);
  EXPECT_EQ(lines("step.jsonl").size(), 2U);
}

TEST_F(Sweeps, ErrorsNameFileKeyAndRemedy) {
  const std::string begin = "scene = \"wave/rain\"\nsteps = 10\n", parameters = begin + "[parameters]\n";
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"steps = 10\n", {"bad.toml:1:1", "needs a scene"}},
      {"scene = \"wave/rain\"\n", {"needs the number of steps"}},
      {"scene = \"wave/rein\"\nsteps = 10\n", {"bad.toml:1:9", "did you mean \"wave/rain\""}},
      {"scene = \"wave/rain\"\nsteps = 0\n", {"bad.toml:2:9", "steps must be a whole number from 1"}},
      {begin + "kernel = \"fussed\"\n", {"bad.toml:3:10", "fused"}},
      {begin + "sedes = 3\n", {"bad.toml:3:1", "unknown key \"sedes\"", "did you mean \"seeds\""}},
      {begin + "seeds = 0\n", {"bad.toml:3:9", "seeds must be the number of seeds, from 1"}},
      {begin + "seeds = [1, -2]\n", {"bad.toml:3:13", "seeds must be a whole number from 0"}},
      {begin + "size = \"64\"\n", {"bad.toml:3:8", "size = \"256x128\""}},
      {begin + "size = [\"64x64\", \"64x64\"]\n", {"bad.toml:3:18", "size has this value twice"}},
      {parameters + "dumping = [0.1]\n", {"bad.toml:4:", "no parameter \"dumping\"", "did you mean \"damping\""}},
      {parameters + "damping = []\n", {"bad.toml:4:11", "damping is an empty list", "Name a value"}},
      {parameters + "damping = [0.1, 5]\n", {"bad.toml:4:17", "damping cannot be 5", "from 0 to 2"}},
      {parameters + "damping = [0.1, \"a\"]\n", {"bad.toml:4:17", "Remove the quotes"}},
      {parameters + "stencil = { from = 1, to = 2, step = 1 }\n", {"bad.toml:4:11", "stencil has no range"}},
      {parameters + "damping = { from = 0, to = 1, step = 0 }\n", {"bad.toml:4:38", "damping: step cannot be 0"}},
      {parameters + "damping = { from = 0, to = 1, step = -0.5 }\n", {"bad.toml:4:38", "Change its sign"}},
      {parameters + "damping = { from = 0, to = 1 }\n", {"bad.toml:4:11", "either step or count"}},
      {parameters + "damping = { from = 0, step = 1 }\n", {"bad.toml:4:11", "needs from and to"}},
      {parameters + "damping = { from = 0, to = 1, count = 1 }\n", {"bad.toml:4:39", "count must be"}},
      {parameters + "damping = { from = 0, to = 3, step = 1 }\n", {"bad.toml:4:11", "damping cannot be 3"}},
      {parameters + "damping = { from = 0, to = 1, stop = 1 }\n", {"bad.toml:4:", "unknown key \"stop\""}},
      {parameters + "damping = { from = 0, to = 1, count = 3, scale = \"logarithmic\" }\n", {"above 0"}},
      {parameters + "damping = { from = 0, to = 1, step = 1e-9 }\n", {"more than 1000000 values"}},
      {begin + "[record]\nnumbers = []\n", {"bad.toml:4:11", "empty list"}},
      {begin + "[record]\nevery = 0\n", {"bad.toml:4:9", "every must be a whole number from 1 to 10"}},
      {begin + "[record]\nfrom = 5\n", {"bad.toml:4:8", "from needs every"}},
      {begin + "seeds = 2000\n[parameters]\ndamping = { from = 0, to = 1, count = 2000 }\n", {"4e+06 runs"}},
  };
  for (const auto& [text, parts] : cases) {
    const std::string message = refusal(text);
    for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << text << message;
  }
  // As a user sees it: one line, and no file.
  write("bad.toml", begin + "seeds = 0\n");
  const Outcome outcome = run("sweep bad.toml");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "perturb: " + refusal(begin + "seeds = 0\n") + "\n");
  EXPECT_FALSE(std::filesystem::exists(path("bad.jsonl")));
  // Which numbers there are is only known when the scene is opened.
  write("bad.toml", begin + "[record]\nnumbers = [\"enrgy\"]\n");
  const std::string numbers = run("sweep bad.toml --backend cpu").err;
  EXPECT_NE(numbers.find("bad.toml: numbers: There is no number \"enrgy\""), std::string::npos) << numbers;
  EXPECT_NE(numbers.find("did you mean \"energy\""), std::string::npos) << numbers;
  EXPECT_EQ(read("bad.jsonl"), "");
  EXPECT_NE(run("sweep").err.find("needs a file"), std::string::npos);
  EXPECT_NE(run("sweep none.toml").err.find("none.toml"), std::string::npos);
}

TEST_F(Sweeps, RangesIncludeTheirEndIfStepsLeadThere) {
  using Values = std::vector<double>;
  EXPECT_EQ(values("{ from = 0.1, to = 0.7, step = 0.1 }"), (Values{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}));
  EXPECT_EQ(values("{ from = 0, to = 1, step = 0.4 }"), (Values{0, 0.4, 0.8}));
  EXPECT_EQ(values("{ from = 1, to = 0, step = -0.5 }"), (Values{1, 0.5, 0}));
  EXPECT_EQ(values("{ from = 2, to = 2, step = 1 }"), (Values{2}));
  EXPECT_EQ(values("{ from = 0, to = 1, count = 5 }"), (Values{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(values("{ from = 0.01, to = 1, count = 3, scale = \"logarithmic\" }"), (Values{0.01, 0.1, 1}));
  EXPECT_EQ(values("[3, 1]"), (Values{3, 1}));
  EXPECT_EQ(values("2"), (Values{2}));
}

TEST_F(Sweeps, SceneFileIsBesideTheSweep) {
  std::filesystem::create_directory(path("deep"));
  write("deep/tank.toml", "simulation = \"wave\"\nsize = [24, 24]\n[parameters]\nrain_rate = 1\n");
  write("deep/many.toml", "scene = \"tank.toml\"\nsteps = 20\nseeds = [4]\n");
  ASSERT_EQ(run("sweep deep/many.toml --backend cpu").code, 0);
  const Outcome single = run("deep/tank.toml --steps 20 --seed 4 --backend cpu --json");
  const Json line = lines("many.jsonl").at(0);
  EXPECT_EQ(line["hash"], Json::parse(single.out)["hash"]);
  // Another scene under the same name is another run.
  write("deep/tank.toml", "simulation = \"wave\"\nsize = [24, 24]\n[parameters]\nrain_rate = 2\n");
  ASSERT_EQ(run("sweep deep/many.toml --backend cpu --resume").code, 0);
  ASSERT_EQ(lines("many.jsonl").size(), 2U);
  EXPECT_NE(lines("many.jsonl").at(1)["hash"], line["hash"]);
}

TEST_F(Sweeps, OtherFilesAreNotTouched) {
  write("a.toml", twelve_runs);
  for (const char* text : {"not a sweep", "{\"a\": 1}\n", "{\"run\":1}\n"}) {
    write("other.jsonl", text);
    const Outcome outcome = run("sweep a.toml --backend cpu --resume --output other.jsonl");
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find("other.jsonl:1: this is not a line of a sweep"), std::string::npos) << outcome.err;
    EXPECT_EQ(read("other.jsonl"), text);
  }
  EXPECT_NE(run("sweep a.toml --output a.toml").err.find("must end with .jsonl"), std::string::npos);
}

TEST_F(Sweeps, FileWithoutRoomKeepsWholeLines) {
  const std::string name = path("lines.jsonl");
  {
    LineFile file(name);
    file.add("{\"run\":1}");
    fail_output_after(0);
    EXPECT_NE(error_thrown_by<Error>([&] { file.add("{\"run\":2}"); }).find("Free some space"), std::string::npos);
    file.add("{\"run\":3}");
  }
  EXPECT_EQ(read("lines.jsonl"), "{\"run\":1}\n{\"run\":3}\n");
  // A disk or quota that is full within a line.
  write("a.toml", twelve_runs);
  const Outcome outcome = shell("ulimit -f 24; '" PERTURB_BINARY "' sweep a.toml --backend cpu --at-once 1");
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_NE(outcome.err.find("Cannot write \"a.jsonl\""), std::string::npos) << outcome.err;
  const std::size_t before = lines("a.jsonl").size();
  EXPECT_GT(before, 0U);
  EXPECT_LT(before, 12U);
  EXPECT_EQ(run("sweep a.toml --backend cpu --resume").code, 0);
  EXPECT_EQ(lines("a.jsonl").size(), 12U);
}

TEST(Shards, TakeTheNumberOfTheirTask) {
  using Variables = std::map<std::string, std::string>;
  const auto shard = [](const std::string& text, const Variables& set = {}) {
    const Shard read = read_shard(text, [&](const std::string& name) -> std::optional<std::string> {
      const auto found = set.find(name);
      return found == set.end() ? std::nullopt : std::optional(found->second);
    });
    return std::pair(read.index, read.count);
  };
  using Pair = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(shard(""), Pair(1, 1));
  EXPECT_EQ(shard("2/8"), Pair(2, 8));
  EXPECT_EQ(shard("auto/8", {{"PARALLEL_SEQ", "3"}}), Pair(3, 8));
  EXPECT_EQ(shard("auto/8", {{"HQ_TASK_ID", "8"}}), Pair(8, 8));
  EXPECT_EQ(shard("auto/8", {{"SLURM_ARRAY_TASK_ID", "5"}}), Pair(5, 8));
  EXPECT_EQ(shard("auto", {{"SLURM_ARRAY_TASK_ID", "0"},
                           {"SLURM_ARRAY_TASK_COUNT", "4"},
                           {"SLURM_ARRAY_TASK_MIN", "0"},
                           {"SLURM_ARRAY_TASK_MAX", "6"},
                           {"SLURM_ARRAY_TASK_STEP", "2"}}),
            Pair(1, 4));
  const auto error = [&](const std::string& text, const Variables& set = {}) {
    return error_thrown_by([&] { shard(text, set); });
  };
  EXPECT_NE(error("auto").find("SLURM_ARRAY_TASK_ID is not set"), std::string::npos) << error("auto");
  EXPECT_NE(error("auto/3").find("PARALLEL_SEQ"), std::string::npos);
  EXPECT_NE(error("auto/3", {{"PARALLEL_SEQ", "4"}}).find("part 4 of 3"), std::string::npos);
  EXPECT_NE(error("0/3").find("Number the parts from 1 to 3"), std::string::npos) << error("0/3");
  EXPECT_NE(error("3").find("I/N"), std::string::npos);
  EXPECT_NE(error("auto", {{"SLURM_ARRAY_TASK_ID", "7"},
                           {"SLURM_ARRAY_TASK_COUNT", "3"},
                           {"SLURM_ARRAY_TASK_MIN", "1"},
                           {"SLURM_ARRAY_TASK_MAX", "7"}})
                .find("without gaps"),
            std::string::npos);
}

}  // namespace
}  // namespace perturb
