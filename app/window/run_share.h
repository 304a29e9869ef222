// Sharing the run of the window with browsers.
#pragma once

#include <memory>
#include <optional>

#include "app/serve/share.h"
#include "app/session/session.h"
#include "app/ui/panels/share_box.h"

namespace perturb {

// The server uses the run in visits, between the jobs of the frames; the window advances it and shows what has changed.
// The session must outlive it, and deliver no results after it.
class RunShare {
 public:
  explicit RunShare(Session& session) : session_(session) {}

  bool is_on() const { return share_ != nullptr; }
  // Starts or stops. Errors are shown.
  void toggle();
  // Tells everybody that it is over.
  void stop();
  // Call in every frame: lets the server do what is due. After the jobs of the frame, which begin only while the run is
  // idle: otherwise a slow visit would hold them up for ever.
  void update();
  // Empty: the run is not shared.
  std::optional<ShownShare> shown() const;

 private:
  // Whether the run cannot be shared; says why.
  bool refuses();

  Session& session_;
  std::shared_ptr<Share> share_;
  bool is_starting_ = false, is_visiting_ = false;
};

}  // namespace perturb
