// Intervals of time, recorded by thread.
#include "cuda/core/backend/timeline.h"

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "cuda/core/backend/backend.h"

namespace perturb {
namespace {

std::string name_in(const TimedInterval& interval) { return interval.name.data(); }

// The track of this thread; empty if it has no intervals.
TimelineTrack own_track() {
  for (TimelineTrack& track : Timeline::tracks())
    if (track.id == Timeline::this_thread()) return track;
  return {};
}

TEST(Timeline, RecordsNothingUnlessAsked) {
  { const Timeline::Recording before; }  // forgets what other tests have recorded
  {
    const Timeline::Scope scope(TimeUse::steps, "steps");
    Timeline::add({TimeUse::loop, "loop", 1, 2});
  }
  EXPECT_TRUE(own_track().intervals.empty());
  EXPECT_FALSE(Timeline::is_recording());
}

TEST(Timeline, ScopesNest) {
  const Timeline::Recording recording;
  {
    const Timeline::Scope frame(TimeUse::frame, "frame");
    { const Timeline::Scope events(TimeUse::events, "events"); }
    { const Timeline::Scope panels(TimeUse::panels, "panels"); }
  }
  const std::vector<TimedInterval> all = own_track().intervals;
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(name_in(all[0]), "events");
  EXPECT_EQ(name_in(all[1]), "panels");
  EXPECT_EQ(name_in(all[2]), "frame");
  EXPECT_EQ(all[2].use, TimeUse::frame);
  EXPECT_LE(all[2].begin, all[0].begin);
  EXPECT_LE(all[0].end, all[1].begin);
  EXPECT_LE(all[1].end, all[2].end);
}

TEST(Timeline, KeepsTheNewestIntervals) {
  const Timeline::Recording recording;
  constexpr std::int64_t more = 10, count = static_cast<std::int64_t>(Timeline::capacity) + more;
  for (std::int64_t k = 0; k < count; ++k) Timeline::add({TimeUse::loop, "loop", k, k + 1});
  const TimelineTrack track = own_track();
  ASSERT_EQ(track.intervals.size(), Timeline::capacity);
  EXPECT_EQ(track.omitted, more);
  for (std::size_t k = 0; k < Timeline::capacity; ++k)
    ASSERT_EQ(track.intervals[k].begin, more + static_cast<std::int64_t>(k));
}

TEST(Timeline, ThreadsHaveNamedTracks) {
  const Timeline::Recording recording;
  Timeline::add({TimeUse::other, "here", 1, 2});
  std::thread([] {
    Timeline::name_this_thread("another");
    Timeline::add({TimeUse::other, "there", 1, 2});
  }).join();
  const std::vector<TimelineTrack> tracks = Timeline::tracks();
  ASSERT_EQ(tracks.size(), 2U);
  const TimelineTrack& other = tracks[tracks[0].id == Timeline::this_thread() ? 1 : 0];
  EXPECT_EQ(other.name, "another");
  EXPECT_FALSE(other.is_gpu);
  ASSERT_EQ(other.intervals.size(), 1U);
  EXPECT_EQ(name_in(other.intervals[0]), "there");
}

TEST(Timeline, ReaderReturnsEachIntervalOnce) {
  Timeline::Reader reader;
  {
    const Timeline::Recording recording;
    Timeline::add({TimeUse::other, "first", 1, 2});
    EXPECT_EQ(reader.read().size(), 1U);
    EXPECT_TRUE(reader.read().empty());
    Timeline::add({TimeUse::other, "second", 2, 3});
    const std::vector<TimelineTrack> tracks = reader.read();
    ASSERT_EQ(tracks.size(), 1U);
    ASSERT_EQ(tracks[0].intervals.size(), 1U);
    EXPECT_EQ(name_in(tracks[0].intervals[0]), "second");
    EXPECT_EQ(own_track().intervals.size(), 2U) << "reading removes nothing";
  }
  const Timeline::Recording next;
  Timeline::add({TimeUse::other, "of the next recording", 4, 5});
  EXPECT_EQ(reader.read().size(), 1U);
}

TEST(Timeline, OnlyTheFirstOfNestedRecordingsForgets) {
  { const Timeline::Recording last; }
  const Timeline::Recording outer;
  Timeline::add({TimeUse::other, "outer", 1, 2});
  {
    const Timeline::Recording inner;
    Timeline::add({TimeUse::other, "inner", 2, 3});
  }
  EXPECT_TRUE(Timeline::is_recording());
  EXPECT_EQ(own_track().intervals.size(), 2U);
}

TEST(Timeline, CutsLongNames) {
  const std::string name(200, 'x');
  const TimedInterval interval(TimeUse::loop, name.c_str(), 1, 2);
  EXPECT_EQ(name_in(interval), name.substr(0, interval.name.size() - 1));
}

TEST(Timeline, LoopScopeTimesLoopsWhileRecording) {
  const auto backend = Backend::make_cpu(1);
  {
    const Timeline::LoopScope loops(*backend);
    EXPECT_FALSE(backend->stats().timing());
  }
  const Timeline::Recording recording;
  {
    const Timeline::LoopScope loops(*backend);
    EXPECT_TRUE(backend->stats().timing());
  }
  EXPECT_FALSE(backend->stats().timing());
}

}  // namespace
}  // namespace perturb
