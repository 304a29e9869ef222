// The run of a window for browsers: pupils see it and poke it, while the window stays the teacher's.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/run/experiment.h"
#include "app/serve/qr/qr_code.h"

namespace perturb {

// Use it in jobs of the run (job::Visit), except where stated: the experiment belongs to their thread.
class Share {
 public:
  struct Status {
    std::string link, code;    // to join
    bool has_network = false;  // otherwise only browsers of this machine can join
    std::optional<QrCode> qr;  // of the link
  };

  virtual ~Share() = default;
  // Carries out what people have done, and sends what is due: about 30 times per second. `playing` and
  // `steps_per_frame` are the window's.
  virtual void visit(bool playing, int steps_per_frame) = 0;
  // Tells everybody that it is over.
  virtual void end() = 0;

  // ---- any thread
  virtual const Status& status() const = 0;
  virtual int people() const = 0;  // connected ones
};

// Begins to serve the open run to the network, on any free port. The experiment must outlive it. Throws InputError in a
// build without Boost or OpenSSL, Error if the network cannot be used.
std::shared_ptr<Share> share_run(Experiment& experiment);

}  // namespace perturb
