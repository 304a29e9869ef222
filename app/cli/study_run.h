// Runs studies so that what they found is not lost when somebody has seen enough.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/cli/bench_study.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/bench/paper_studies.h"
#include "cuda/core/bench/study.h"

namespace perturb {

// What came of a study.
struct StudyOutcome {
  std::string id, summary;
  StudyResult result;
  double seconds = 0;     // that it took
  bool complete = false;  // it came to its end; else `result` is what it had told by then
  std::string error;      // the sentence with which it failed
};

// Runs it until its end, or until `request` is asked. Throws what it throws, but for Stopped.
StudyOutcome run_study(const BenchStudy& study, Backend& backend, const Scene& scene, const StopRequest& request,
                       const std::function<void(const std::string&)>& report);

// How far a run of several studies has come, and how long the rest may take: guessed from what each said that it takes,
// and from how long those took that are done.
class ProgressEstimator {
 public:
  explicit ProgressEstimator(std::vector<double> expected);  // seconds of each
  // The study that runs is done after so many seconds.
  void done(double seconds);
  int finished() const { return finished_; }
  // Of all studies, when the one that runs has run for `gone` seconds: from 0 to 1.
  double share(double gone) const;
  // Seconds.
  double left(double gone) const;

 private:
  double expected_from(int first) const;
  std::vector<double> expected_;
  int finished_ = 0;
  double took_ = 0;  // all that are done
};

// "40 s", "12 min", "3 h 20 min".
std::string format_duration(double seconds);
// "[####------] 40 %".
std::string progress_bar(double share);

}  // namespace perturb
