// The measurement of a served run: its numbers are possible, and a poke that it has timed is in the picture. How large
// the times are depends on the machine.
#include "app/serve/served_load.h"

#include <iostream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/cli/bench.h"
#include "app/cli/commands.h"
#include "app/serve/served_run.h"
#include "app/serve/video/video_encoder.h"
#include "cuda/core/timing/timing_duration.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/reach.h"

namespace perturb {
namespace {

// Water at rest on a small grid. Its waves are slow: on a busy machine the poke is still in its place after many steps.
ServedLoad load_of_calm_water(int clients = 1) {
  ServedLoad load;
  load.opening = {
      {"scene", "wave/rain"}, {"width", 64}, {"height", 64}, {"parameters", {{"rain_rate", 0}, {"wave_speed", 0.02}}}};
  load.tool = "droplet";
  load.backend = "cpu";
  load.threads = 1;
  load.clients = clients;
  load.seconds = 0.8;  // the first poke comes within 0.6 s
  load.seconds_alone = load.warm_up_seconds = 0.2;
  load.longest_poke_seconds = 60;  // reached only by a fault
  return load;
}

class ServedLoadTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const Message reason = VideoEncoder::why_not(); !reason.empty()) GTEST_SKIP() << reason;
  }
  ShortTimingScope brief_;
};

TEST_F(ServedLoadTest, CountsWhatTwoClientsGet) {
  const ServedFigures figures = measure_served_run(load_of_calm_water(2));
  EXPECT_EQ(figures.backend, "cpu");
  EXPECT_EQ(figures.threads, 1);
  const LoadResult& load = figures.load;
  EXPECT_EQ(load.width, load.height) << "the tank is a square";
  EXPECT_LE(load.width * load.height, ServedRun::max_pixels);
  ASSERT_EQ(load.clients.size(), 2u);
  for (const ClientCounts& client : load.clients) {
    EXPECT_EQ(client.end, "");
    EXPECT_GT(client.frames, 0);
    EXPECT_GT(client.bytes, 16 * client.frames) << "a fragment begins with 16 bytes";
    EXPECT_GT(client.longest_gap, 0);
    // The mean time between its frames is no longer than the longest.
    EXPECT_LE(figures.seconds, client.longest_gap * static_cast<double>(client.frames + 1) + 1e-3);
  }
  // Each client gets or misses all frames that are made.
  for (const ClientCounts& client : load.clients)
    EXPECT_NEAR(static_cast<double>(client.frames + client.skipped), load.frames_made, 1);

  EXPECT_GT(figures.seconds, 0.79);
  EXPECT_GT(figures.steps_per_second, 0);
  EXPECT_GT(figures.steps_per_second_alone, 0);
  EXPECT_GT(figures.cores, 0);
  EXPECT_GT(figures.cores_alone, 0);
  EXPECT_GT(figures.cores_of_clients, 0);
  EXPECT_GT(figures.paint_seconds, 0);
  EXPECT_GT(figures.encode_seconds, 0);
  EXPECT_GT(load.begin.resident_bytes, 1'000'000u);
  EXPECT_GT(load.join_seconds, 0);
  EXPECT_NEAR(figures.cores_beside_steps() + figures.cores_of_steps(), figures.cores, 1e-9);
}

TEST_F(ServedLoadTest, FindsThePokeInTheFirstFrameAfterIt) {
  const ServedFigures figures = measure_served_run(load_of_calm_water());
  EXPECT_EQ(figures.load.lost_pokes, 0);
  ASSERT_FALSE(figures.load.pokes.empty());
  for (const PokeTime& poke : figures.load.pokes) {
    EXPECT_GT(poke.answer_seconds, 0);
    EXPECT_GT(poke.seconds, poke.answer_seconds) << "the frame follows the answer";
  }
  // Later ones meet the waves of the first.
  const PokeTime& first = figures.load.pokes.front();
  EXPECT_LT(first.noise, 1);
  EXPECT_GT(first.change, 5 * (first.noise + 1));
}

TEST_F(ServedLoadTest, CountsAPokeWithoutALaterFrameAsLost) {
  ServedLoad load = load_of_calm_water();
  load.longest_poke_seconds = 1e-6;  // no frame is as early as that
  const ServedFigures figures = measure_served_run(load);
  EXPECT_GT(figures.load.lost_pokes, 0);
}

TEST_F(ServedLoadTest, SaysWhatItCannotMeasure) {
  ServedLoad load = load_of_calm_water();
  load.opening["scene"] = "wave/nothing";
  EXPECT_NE(error_thrown_by([&] { measure_served_run(load); }).find("nothing"), std::string::npos);
  load = load_of_calm_water();
  load.tool = "spoon";
  EXPECT_NE(error_thrown_by<Error>([&] { measure_served_run(load); }).find("spoon"), std::string::npos);
}

TEST_F(ServedLoadTest, IsPrintedAsTableAndJson) {
  SKIP_AT_SMALL_REACH("opens three large scenes; tests/serve measures a small one");
  BenchOptions options;
  options.simulation = served_word;
  options.clients = 2;
  options.seconds = 0.1;
  options.backend = "cpu";
  const auto printed = [&] {
    std::ostringstream words, complaints;
    std::streambuf *const out = std::cout.rdbuf(words.rdbuf()), *const err = std::cerr.rdbuf(complaints.rdbuf());
    const int code = bench_command(options);
    std::cout.rdbuf(out);
    std::cerr.rdbuf(err);
    EXPECT_EQ(code, 0) << complaints.str();
    return words.str();
  };
  const std::string table = printed();
  for (const char* text : {"2 clients on ", "wave/double-slit", "poke to decoded frame, median, ms"})
    EXPECT_NE(table.find(text), std::string::npos) << text << table;
  options.json = true;
  const auto json = nlohmann::json::parse(printed());
  for (const char* key : {"device", "backend", "threads", "date", "commit", "host"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["clients"], 2);
  ASSERT_EQ(json["scenes"].size(), 3u);
  for (const auto& scene : json["scenes"]) {
    for (const char* key : {"scene", "tool", "picture", "seconds", "poke_median", "bytes_per_second", "cores"})
      EXPECT_TRUE(scene.contains(key)) << key;
    EXPECT_GE(scene["frame_rate"], 0);
  }
}

TEST(ResourceUse, CountsWorkOfThisThread) {
  const ResourceUse begin = ResourceUse::now();
  ResourceUse end = begin;
  while (end.thread_seconds - begin.thread_seconds < 0.01) end = ResourceUse::now();
  // The two clocks are read one after the other.
  EXPECT_GE(end.process_seconds - begin.process_seconds, 0.009);
  EXPECT_GT(end.time, begin.time);
  EXPECT_GT(end.resident_bytes, 1'000'000u);
}

}  // namespace
}  // namespace perturb
