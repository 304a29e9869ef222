// Runs studies so that partial results survive a stop.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/cli/bench_study.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/stop.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/study.h"

namespace perturb {

// The result of a study.
struct StudyOutcome {
  std::string id, summary;
  StudyResult result;
  double seconds = 0;     // duration
  int version = 1;        // of the study (PaperStudy)
  bool complete = false;  // it ran to its end; else `result` holds the partial results
  std::string error;      // the message with which it failed
};

// Runs the study until its end or until `request` is stopped. Passes on exceptions of the study except Stopped.
StudyOutcome run_study(const BenchStudy& study, Backend& backend, const Scene& scene, const StopRequest& request,
                       const std::function<void(const std::string&)>& report);

// Progress of a run of several studies and an estimate of the remaining time, from the expected duration of each study
// and the actual durations of those that are done.
class ProgressEstimator {
 public:
  explicit ProgressEstimator(std::vector<double> expected);  // seconds of each
  // The current study ended after this many seconds.
  void done(double seconds);
  int finished() const { return finished_; }
  std::size_t count() const { return expected_.size(); }
  // Fraction of all studies that is done, 0 to 1, when the current study has run for `gone` seconds.
  double share(double gone) const;
  // Remaining seconds.
  double left(double gone) const;

 private:
  double expected_from(int first) const;
  std::vector<double> expected_;
  int finished_ = 0;
  double took_ = 0;  // total of the finished studies
};

// Progress on the error stream: on a terminal one line that is redrawn, else a line for each call.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { end(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool is_terminal() const { return is_terminal_; }
  void show(const std::string& words);
  // `what` is running, for `gone` seconds.
  void show(const ProgressEstimator& estimator, const std::string& what, double gone);
  void end();
  // Makes room for other output on the terminal.
  void clear();

 private:
  bool is_terminal_, is_open_ = false;
};

// "40 s", "12 min", "3 h 20 min".
std::string format_duration(double seconds);
// "[####------] 40 %".
std::string progress_bar(double share);

}  // namespace perturb
