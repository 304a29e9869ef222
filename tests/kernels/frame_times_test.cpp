// Where the time of a frame goes: the division of intervals among frames, what a session records, and the trace.
#include "app/session/frame_times.h"

#include <numeric>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/cli/trace.h"
#include "app/race/lane.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/session_fixture.h"

namespace perturb {
namespace {

constexpr int window = 1, run = 2, gpu = 3;
constexpr std::int64_t ms = 1'000'000;
constexpr double rounding = 1e-12;  // seconds: sums of doubles

TimedInterval interval(TimeUse use, double begin, double end, const char* name = "") {
  return {use, name, static_cast<std::int64_t>(begin * ms), static_cast<std::int64_t>(end * ms)};
}
TimelineTrack track(int id, std::vector<TimedInterval> intervals) {
  return {id, "", id == gpu, 0, std::move(intervals)};
}
double of(const FrameTime& frame, TimeUse use) { return 1e3 * frame.seconds[static_cast<std::size_t>(use)]; }
double sum(const std::array<double, frame_uses>& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

TEST(FrameTimes, PartsAddUpToTheFrame) {
  FrameTimes times;
  times.add({track(run, {interval(TimeUse::steps, 4, 8), interval(TimeUse::painting, 8.5, 10)}),
             track(window, {interval(TimeUse::waiting, 0, 1), interval(TimeUse::events, 1, 3),
                            interval(TimeUse::waiting, 4, 11), interval(TimeUse::painting, 3, 12),
                            interval(TimeUse::panels, 12, 14), interval(TimeUse::swap, 15, 18),
                            interval(TimeUse::waiting, 18, 20), interval(TimeUse::frame, 0, 20)})},
            window);
  ASSERT_EQ(times.frames().size(), 1U);
  const FrameTime& frame = times.frames().front();
  EXPECT_NEAR(frame.duration(), 0.020, rounding);
  EXPECT_NEAR(sum(frame.seconds), frame.duration(), rounding);
  EXPECT_NEAR(of(frame, TimeUse::events), 2, 1e-9);
  EXPECT_NEAR(of(frame, TimeUse::steps), 4, 1e-9) << "while the window waited";
  EXPECT_NEAR(of(frame, TimeUse::painting), 2 + 1.5, 1e-9) << "of both threads";
  EXPECT_NEAR(of(frame, TimeUse::panels), 2, 1e-9);
  EXPECT_NEAR(of(frame, TimeUse::swap), 3, 1e-9);
  EXPECT_NEAR(of(frame, TimeUse::waiting), 1 + (7 - 5.5) + 2, 1e-9);
  EXPECT_NEAR(of(frame, TimeUse::other), 1, 1e-9) << "from 14 to 15, in no part";
}

TEST(FrameTimes, WorkThatDoesNotHoldUpTheWindowIsNotCounted) {
  FrameTimes times;
  times.add({track(window, {interval(TimeUse::panels, 0, 10), interval(TimeUse::frame, 0, 10)}),
             track(run, {interval(TimeUse::steps, 2, 8)})},
            window);
  EXPECT_NEAR(of(times.frames().front(), TimeUse::steps), 0, 1e-9);
  EXPECT_NEAR(of(times.frames().front(), TimeUse::panels), 10, 1e-9);
}

// A slow step ends some frames after it began, and loops of a GPU are read later.
TEST(FrameTimes, LateIntervalsGoToTheirFrames) {
  FrameTimes times;
  for (int k = 0; k < 3; ++k)
    times.add({track(window, {interval(TimeUse::waiting, 10 * k + 5, 10 * k + 10),
                              interval(TimeUse::frame, 10 * k, 10 * k + 10)})},
              window);
  times.add({track(run, {interval(TimeUse::steps, 8, 33)}),
             track(gpu, {interval(TimeUse::loop, 9, 12, "a"), interval(TimeUse::loop, 12, 13, "a"),
                         interval(TimeUse::loop, 31, 32, "b")})},
            window);
  times.add({track(window, {interval(TimeUse::waiting, 30, 35), interval(TimeUse::frame, 30, 40)})}, window);
  ASSERT_EQ(times.frames().size(), 4U);
  const double steps[] = {2, 5, 5, 3}, on_gpu[] = {3, 1, 0, 1};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(of(times.frames()[k], TimeUse::steps), steps[k], 1e-9) << k;
    EXPECT_NEAR(of(times.frames()[k], TimeUse::waiting), 5 - steps[k], 1e-9) << k;
    EXPECT_NEAR(1e3 * times.frames()[k].gpu_seconds, on_gpu[k], 1e-9) << k;
  }
  const MeanFrameTime mean = times.mean(1);
  ASSERT_EQ(mean.loops.size(), 2U);
  EXPECT_EQ(mean.loops[0].name, "a");
  EXPECT_NEAR(1e3 * mean.loops[0].seconds, 1, 1e-9);
  EXPECT_NEAR(mean.loops[0].launches, 0.5, 1e-9);
  EXPECT_EQ(mean.loops[1].name, "b");
}

TEST(FrameTimes, KeepsTheLastSecondsAndAveragesTheLastOne) {
  FrameTimes times;
  for (int k = 0; k < 700; ++k) {
    const double begin = 10 * k, panels = k < 650 ? 8 : 2;
    times.add({track(window,
                     {interval(TimeUse::panels, begin, begin + panels), interval(TimeUse::frame, begin, begin + 10)})},
              window);
  }
  EXPECT_NEAR(static_cast<double>(times.frames().size()), 100 * FrameTimes::kept_seconds, 1.5);
  const MeanFrameTime mean = times.mean(0.4);
  EXPECT_NEAR(static_cast<double>(mean.frames), 40, 1.5);
  EXPECT_NEAR(mean.duration, 0.010, rounding);
  EXPECT_NEAR(mean.seconds[static_cast<std::size_t>(TimeUse::panels)], 0.002, rounding);
  times.clear();
  EXPECT_TRUE(times.frames().empty());
  EXPECT_EQ(times.mean(1).frames, 0U);
}

// ---- what a session records

// Frames as the window draws them, with the run here or on its own thread.
class RecordedFrames : public testing::TestWithParam<Runner::Where> {
 protected:
  static void draw(Session& session, int frames) {
    for (int k = 0; k < frames; ++k) {
      const Timeline::Scope frame(TimeUse::frame, "frame");
      session.handle({}, make_layout(1280, 720, 1, 1, true), Session::Keyboard::free);
      session.pace().forget();
      session.advance();
      session.observe(true);
      while (!session.is_idle()) {
      }
      session.end_frame(1.0 / 60, 0.004);
    }
  }
  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
};
INSTANTIATE_TEST_SUITE_P(Threads, RecordedFrames, testing::Values(Runner::Where::here, Runner::Where::own_thread));

TEST_P(RecordedFrames, AreDividedIntoSteps) {
  Experiment experiment(*backend_, small_tank());
  Session session(experiment, 4, GetParam());
  draw(session, 3);
  EXPECT_TRUE(session.frame_times().times().frames().empty());
  EXPECT_FALSE(Timeline::is_recording());
  session.execute(MeasureFrames{});
  EXPECT_TRUE(session.frame_times().is_measuring());
  draw(session, 5);
  const std::deque<FrameTime> frames = session.frame_times().times().frames();
  ASSERT_GE(frames.size(), 3U);
  double work = 0;
  for (const FrameTime& frame : frames) {
    EXPECT_NEAR(sum(frame.seconds), frame.duration(), 1e-9);
    for (const double part : frame.seconds) EXPECT_GE(part, -1e-9);
    work += of(frame, TimeUse::steps) + of(frame, TimeUse::numbers);
  }
  // (On its own thread, the run takes time of a frame only where the window waits for it.)
  if (GetParam() == Runner::Where::here) {
    EXPECT_GT(work, 0);
  }
  std::set<std::string> loops;
  for (const LoopTime& loop : session.frame_times().times().mean(5).loops) loops.insert(loop.name);
  EXPECT_TRUE(loops.contains("wave.fused") || loops.contains("wave.temporal"));
  session.execute(MeasureFrames{false});
  EXPECT_FALSE(Timeline::is_recording());
  const std::size_t kept = session.frame_times().times().frames().size();
  EXPECT_GE(kept, frames.size());
  draw(session, 2);
  EXPECT_EQ(session.frame_times().times().frames().size(), kept) << "kept, for reading";
}

TEST_P(RecordedFrames, HaveTheLanesOfARace) {
  Scene scene = small_tank();
  const SimulationInfo& info = find_simulation("wave");
  scene.lanes = {parse_lane("kernel=fused", info), parse_lane("kernel=temporal", info)};
  Experiment experiment(*backend_, scene);
  Session session(experiment, 4, GetParam());
  session.execute(MeasureFrames{});
  draw(session, 3);
  std::set<std::string> names;
  for (const TimelineTrack& track : Timeline::tracks())
    for (const TimedInterval& one : track.intervals) names.insert(one.name.data());
  for (const char* name : {"lane 1", "lane 2", "steps", "frame", "wave.fused", "wave.temporal"})
    EXPECT_TRUE(names.contains(name)) << name;
}

// ---- the trace

TEST(ChromeTrace, IsJsonWithNamedThreads) {
  using Json = nlohmann::json;
  TimelineTrack first =
      track(1, {interval(TimeUse::loop, 3, 4, "wave.fused"), interval(TimeUse::steps, 2, 5, "steps")});
  first.name = "run";
  TimelineTrack second = track(gpu, {interval(TimeUse::loop, 6, 6.5, "a \"quoted\" name\\")});
  second.name = "GPU, \"X\"";
  const Json trace = Json::parse(chrome_trace({first, second}));
  std::map<int, std::string> threads;
  std::vector<Json> complete;
  for (const Json& event : trace.at("traceEvents")) {
    EXPECT_EQ(event.at("pid"), 1);
    if (event.at("name") == "thread_name") threads[event.at("tid")] = event.at("args").at("name");
    if (event.at("ph") == "X") complete.push_back(event);
  }
  EXPECT_EQ(threads, (std::map<int, std::string>{{1, "run"}, {gpu, "GPU, \"X\""}}));
  ASSERT_EQ(complete.size(), 3U);
  EXPECT_EQ(complete[0].at("name"), "steps") << "outer before inner ones";
  EXPECT_EQ(complete[0].at("ts"), 0) << "microseconds since the first";
  EXPECT_EQ(complete[0].at("dur"), 3000);
  EXPECT_EQ(complete[1].at("name"), "wave.fused");
  EXPECT_EQ(complete[1].at("cat"), "loop");
  EXPECT_EQ(complete[1].at("ts"), 1000);
  EXPECT_EQ(complete[2].at("name"), "a \"quoted\" name\\");
  EXPECT_EQ(complete[2].at("tid"), gpu);
  EXPECT_TRUE(Json::parse(chrome_trace({})).contains("traceEvents"));
}

}  // namespace
}  // namespace perturb
