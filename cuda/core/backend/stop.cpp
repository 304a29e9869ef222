#include "cuda/core/backend/stop.h"

#include "cuda/core/backend/backend.h"

namespace perturb {

StopScope::StopScope(Backend& backend, const StopRequest& request) : backend_(backend), before_(backend.stop_request_) {
  backend_.stop_request_ = &request;
  backend_.set_stop_request(backend_.loops_may_stop_ > 0 ? &request : nullptr);
}

StopScope::~StopScope() {
  backend_.stop_request_ = before_;
  backend_.set_stop_request(backend_.loops_may_stop_ > 0 ? before_ : nullptr);
}

InterruptibleScope::InterruptibleScope(Backend& backend, bool here) : backend_(backend), here_(here) {
  if (!here_) return;
  backend_.stop_point();
  ++backend_.loops_may_stop_;
  backend_.set_stop_request(backend_.stop_request_);
}

InterruptibleScope::~InterruptibleScope() {
  if (!here_) return;
  --backend_.loops_may_stop_;
  backend_.set_stop_request(backend_.loops_may_stop_ > 0 ? backend_.stop_request_ : nullptr);
}

}  // namespace perturb
