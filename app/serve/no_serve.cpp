#include "app/serve/serve.h"
#include "app/serve/served_load.h"
#include "app/serve/share.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

[[noreturn]] void refuse_to_serve() {
  throw InputError(
      "Cannot serve a run: this program was built without Boost or OpenSSL. Install libboost-dev and libssl-dev and "
      "build it again.");
}

}  // namespace

int serve(const ServeOptions&) { refuse_to_serve(); }

std::shared_ptr<Share> share_run(Experiment&) { refuse_to_serve(); }

ServedFigures measure_served_run(const ServedLoad&) { refuse_to_serve(); }

}  // namespace perturb
