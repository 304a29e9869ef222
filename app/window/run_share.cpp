#include "app/window/run_share.h"

#include <utility>

namespace perturb {

bool RunShare::refuses() {
  if (session_.run().scene->lanes.empty()) return false;
  session_.show_error("A race cannot be shared. Open another scene.");
  return true;
}

void RunShare::toggle() {
  if (share_) return stop();
  if (is_starting_ || refuses()) return;
  is_starting_ = true;
  // Made on the run's thread, which then uses it.
  auto made = std::make_shared<std::shared_ptr<Share>>();
  session_.visit_run([made](Experiment& experiment) { *made = share_run(experiment); },
                     [this, made](bool) {
                       is_starting_ = false;
                       share_ = std::move(*made);
                     });
}

void RunShare::stop() {
  if (!share_) return;
  // Released there, too.
  session_.visit_run([share = std::exchange(share_, nullptr)](Experiment&) { share->end(); }, [](bool) {});
}

void RunShare::update() {
  if (!share_ || is_visiting_) return;
  if (refuses()) return stop();
  is_visiting_ = true;
  const bool playing = session_.playback().playing() && session_.run().stop_reason.empty();
  session_.visit_run(
      [share = share_, playing, steps = session_.pace().even_steps()](Experiment&) { share->visit(playing, steps); },
      [this](bool done) {
        is_visiting_ = false;
        if (!done) stop();
      });
}

std::optional<ShownShare> RunShare::shown() const {
  if (!share_) return std::nullopt;
  const Share::Status& status = share_->status();
  return ShownShare{status.link, status.code, status.has_network, status.qr, share_->people()};
}

}  // namespace perturb
