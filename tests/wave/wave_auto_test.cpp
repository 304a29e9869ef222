#include "tests/support/auto_kernel.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"

namespace perturb::wave {
namespace {

class WaveAuto : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(WaveAuto);

TEST_P(WaveAuto, TakesWhatWasMeasuredToBeTheFastest) {
  SKIP_UNDER_SANITIZERS("checks a choice by measured times, not memory");
  expect_auto_follows_the_book(backend(), "wave/harbour", 256, 192);
}

}  // namespace
}  // namespace perturb::wave
