#include "tests/support/auto_kernel.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"

namespace perturb::lbm {
namespace {

class LbmAuto : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(LbmAuto);

TEST_P(LbmAuto, TakesWhatWasMeasuredToBeTheFastest) {
  SKIP_UNDER_SANITIZERS("checks a choice by measured times, not memory");
  expect_auto_follows_the_book(backend(), "lbm/step", 256, 192);
}

}  // namespace
}  // namespace perturb::lbm
