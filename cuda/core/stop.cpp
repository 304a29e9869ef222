#include "cuda/core/stop.h"

#include "cuda/core/backend.h"

namespace perturb {

StopScope::StopScope(Backend& backend, const StopRequest& request) : backend_(backend), before_(backend.stop_request_) {
  backend_.stop_request_ = &request;
  backend_.heed(backend_.loops_may_stop_ > 0 ? &request : nullptr);
}

StopScope::~StopScope() {
  backend_.stop_request_ = before_;
  backend_.heed(backend_.loops_may_stop_ > 0 ? before_ : nullptr);
}

MayStop::MayStop(Backend& backend, bool here) : backend_(backend), here_(here) {
  if (!here_) return;
  backend_.stop_point();
  ++backend_.loops_may_stop_;
  backend_.heed(backend_.stop_request_);
}

MayStop::~MayStop() {
  if (!here_) return;
  --backend_.loops_may_stop_;
  backend_.heed(backend_.loops_may_stop_ > 0 ? backend_.stop_request_ : nullptr);
}

}  // namespace perturb
