#include "app/serve/serve.h"
#include "cuda/core/backend/check.h"

namespace perturb {

int serve(const ServeOptions&) {
  throw InputError(
      "Cannot serve a run: this program was built without Boost or OpenSSL. Install libboost-dev and libssl-dev and "
      "build it again.");
}

}  // namespace perturb
