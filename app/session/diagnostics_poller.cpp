#include "app/session/diagnostics_poller.h"

#include <utility>

namespace perturb {

namespace {
// On a large grid on the CPU, diagnostics cost as much as steps: they may take a tenth of the time.
constexpr double rest_per_cost = 9;
}  // namespace

DiagnosticsPoller::ObservedState DiagnosticsPoller::observed_state() const {
  const RunStatus& run = client_.run();
  return {run.steps, run.events, view_.quantity().id, state_.view.automatic};
}

void DiagnosticsPoller::poll(bool wait, OnDiagnostics on_diagnostics) {
  job::ReadDiagnostics job;
  job.view = view_.resolved();
  job.kernels = state_.panels && state_.tab == Tab::kernels;
  if (pointer_.value_is_due()) job.value_at = pointer_.fraction();
  // While paused, the numbers and the automatic range belong to exactly the state shown, so the image does not change.
  const bool is_paused = !state_.playing || !client_.run().stop_reason.empty();
  // While steps are running, the state to observe is not known yet.
  job.diagnostics = !client_.is_idle() || !(observed_state() == last_waited_state_);
  job.wait = wait || is_paused;
  if (!job.wait && since_asked_ < rest_per_cost * cost_) job.diagnostics = false;
  if (!job.diagnostics && !job.value_at && !job.kernels) return;
  const bool has_value = job.value_at.has_value(), has_numbers = job.diagnostics, waited = job.wait;
  if (has_value) pointer_.value_asked();
  client_.run_frame_job(std::move(job), [this, has_value, has_numbers, waited,
                                         on_diagnostics = std::move(on_diagnostics)](JobResult& result) {
    if (result.cancelled) return;
    if (has_value) pointer_.take_value(result.value);
    if (!has_numbers) return;
    if (waited) last_waited_state_ = observed_state();
    latest_ = std::move(result.diagnostics);
    cost_ = result.seconds;
    since_asked_ = 0;
    history_.add(latest_);
    on_diagnostics(latest_);
  });
}

void DiagnosticsPoller::forget() {
  history_.clear();
  latest_ = {};
  last_waited_state_ = {};
}

}  // namespace perturb
