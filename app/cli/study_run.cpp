#include "app/cli/study_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <numeric>

#include <unistd.h>

#include "app/cli/terminal.h"
#include "app/i18n/utf8.h"

namespace perturb {

StudyOutcome run_study(const BenchStudy& study, Backend& backend, const Scene& scene, const StopRequest& request,
                       const std::function<void(const std::string&)>& report) {
  using Clock = std::chrono::steady_clock;
  StudyOutcome outcome;
  outcome.id = study.id;
  outcome.summary = study.summary;
  const auto begin = Clock::now();
  // A study that computes on a second backend is stopped between its parts.
  const auto stop_if_asked = [&] {
    if (request.stop_requested()) throw Stopped();
  };
  const StudyProgress progress = StudyReporter{
      [&](const std::string& words) {
        stop_if_asked();
        report(words);
      },
      [&](const StudyResult& result) {
        outcome.result = result;
        stop_if_asked();
      },
      &request,
  };
  const StopScope scope(backend, request);
  try {
    const InterruptibleScope here(backend);  // includes the simulations of this backend
    outcome.result = study.run(backend, scene, progress);
    outcome.complete = true;
  } catch (const Stopped&) {
  }
  outcome.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return outcome;
}

ProgressEstimator::ProgressEstimator(std::vector<double> expected) : expected_(std::move(expected)) {
  // A study without an estimate counts as a typical one.
  constexpr double usual = 30;
  for (double& seconds : expected_)
    if (!(seconds > 0)) seconds = usual;
}

double ProgressEstimator::expected_from(int first) const {
  return std::accumulate(expected_.begin() + first, expected_.end(), 0.0);
}

void ProgressEstimator::done(double seconds) {
  took_ += seconds;
  finished_ = std::min(finished_ + 1, static_cast<int>(expected_.size()));
}

double ProgressEstimator::left(double gone) const {
  if (finished_ == static_cast<int>(expected_.size())) return 0;
  const double known = expected_from(0) - expected_from(finished_);
  // The first study's ratio of actual to expected time has half the weight: it may be the only slow one here.
  const double first = expected_.front();
  const double factor = finished_ == 0 ? 1 : (took_ + first) / (known + first);
  const double now = factor * expected_[static_cast<std::size_t>(finished_)];
  // A study that exceeds its estimate counts as nearly done until it ends.
  constexpr double nearly = 0.1;
  return std::max(nearly * now, now - gone) + factor * expected_from(finished_ + 1);
}

double ProgressEstimator::share(double gone) const {
  const double all = took_ + gone + left(gone);
  return all > 0 ? std::min(1.0, (took_ + gone) / all) : 1;
}

ProgressLine::ProgressLine() : is_terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(const ProgressEstimator& estimator, const std::string& what, double gone) {
  show(progress_bar(estimator.share(gone)) + ", " + std::to_string(estimator.finished() + 1) + " of " +
       std::to_string(estimator.count()) + ", about " + format_duration(estimator.left(gone)) + " left: " + what);
}

void ProgressLine::show(const std::string& words) {
  if (is_terminal_)
    std::cerr << '\r' << whole_characters(escape_for_terminal(words), 110) << "\x1b[K" << std::flush;
  else
    print_line(std::cerr, words);
  is_open_ = is_terminal_;
}

void ProgressLine::end() {
  if (is_open_) std::cerr << '\n';
  is_open_ = false;
}

void ProgressLine::clear() {
  if (is_open_) std::cerr << "\r\x1b[K" << std::flush;
  is_open_ = false;
}

std::string format_duration(double seconds) {
  constexpr long minute = 60, hour = 3600;
  const auto whole = std::lround(std::max(0.0, seconds));
  if (whole < 2 * minute) return std::to_string(whole) + " s";
  const long minutes = (whole + minute / 2) / minute;
  if (whole < hour) return std::to_string(minutes) + " min";
  return std::to_string(minutes / minute) + " h " + std::to_string(minutes % minute) + " min";
}

std::string progress_bar(double share) {
  constexpr int width = 20;
  const int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * width);
  return "[" + std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(width - full), '-') + "] " +
         std::to_string(static_cast<int>(100 * std::clamp(share, 0.0, 1.0))) + " %";
}

}  // namespace perturb
