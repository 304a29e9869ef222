// Tasks of several lanes, compared with two plain loops.
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/atomic.h"
#include "cuda/core/loops/parallel_for.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

class ParallelTasks : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(ParallelTasks);

// Adds a value that identifies the task and the lane, so that missing, repeated or wrong visits are detected.
struct VisitLane {
  int* visits;  // [tasks][lanes]
  int lanes;
  PERTURB_HD void operator()(int task, int lane) const {
    atomic_add(visits[task * lanes + lane], 1 + lane + 100 * task);
  }
};
// The CPU version: a task as a whole.
struct VisitTask {
  int* visits;
  int lanes;
  PERTURB_HD void operator()(int task, int lane) const { VisitLane{visits, lanes}(task, lane); }
  void task(int task) const {
    for (int lane = lanes - 1; lane >= 0; --lane) VisitLane{visits, lanes}(task, lane);
  }
};

template <class Visit>
void visit_all(Backend& backend) {
  for (const int count : {1, 2, 7, 255, 257, 1003})
    for (const int lanes : {1, 3, 32, 33})
      for (const double operations : {0., 30., 1e6}) {
        std::vector<int> expected;
        for (int task = 0; task < count; ++task)
          for (int lane = 0; lane < lanes; ++lane) expected.push_back(1 + lane + 100 * task);
        Array<int> visits(backend, expected.size(), "visits");
        parallel_tasks(backend, "test.tasks", Tasks{count, lanes, operations}, Visit{visits.data(), lanes});
        ASSERT_EQ(visits.download(), expected) << count << " tasks of " << lanes << " lanes and " << operations
                                               << " operations, " << backend.threads() << " threads";
      }
}

TEST_P(ParallelTasks, VisitEveryLaneOnce) { visit_all<VisitLane>(backend()); }

TEST_P(ParallelTasks, VisitEveryLaneOnceATaskAtATime) { visit_all<VisitTask>(backend()); }

TEST(ParallelTasksThreads, VisitEveryLaneOnce) {
  for (const int threads : {1, 3, 7}) {
    const auto backend = Backend::make_cpu(threads);
    visit_all<VisitLane>(*backend);
    visit_all<VisitTask>(*backend);
  }
}

TEST_P(ParallelTasks, EmptyOnesDoNothing) {
  Array<int> visits(backend(), 64, "visits");
  for (const Tasks none : {Tasks{0, 8}, Tasks{8, 0}, Tasks{-1, 8}, Tasks{0, 0}}) {
    parallel_tasks(backend(), "test.tasks", none, VisitLane{visits.data(), 8});
    parallel_tasks(backend(), "test.tasks", none, VisitTask{visits.data(), 8});
  }
  EXPECT_EQ(visits.download(), std::vector<int>(64, 0));
}

}  // namespace
}  // namespace perturb
