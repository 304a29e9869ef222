#include "app/files/presets.h"
#include "tests/support/auto_kernel.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

class LbmAuto : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(LbmAuto);

TEST_P(LbmAuto, TakesWhatWasMeasuredToBeTheFastest) {
  perturb::Setup cylinder = load_setup("lbm/cylinder");
  cylinder.width = 256, cylinder.height = 192;
  expect_auto_follows_the_book(backend(), cylinder, 2000);
}

}  // namespace
}  // namespace perturb
