#include "app/files/presets.h"
#include "tests/support/auto_kernel.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

class WaveAuto : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(WaveAuto);

TEST_P(WaveAuto, TakesWhatWasMeasuredToBeTheFastest) {
  perturb::Setup harbour = load_setup("wave/harbour");
  harbour.width = 256, harbour.height = 192;
  expect_auto_follows_the_book(backend(), harbour, 2000);
}

}  // namespace
}  // namespace perturb
