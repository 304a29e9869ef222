#include "tests/support/backends.h"

namespace perturb {

void OnEachBackend::SetUp() {
  if (GetParam() == BackendKind::cpu) {
    backend_ = Backend::make_cpu(2);
    return;
  }
  const CudaStatus status = cuda_status();
  if (!status.usable) GTEST_SKIP() << status.reason;
  backend_ = Backend::make_cuda();
}

std::string backend_test_name(const testing::TestParamInfo<BackendKind>& info) {
  return info.param == BackendKind::cpu ? "cpu" : "cuda";
}

}  // namespace perturb
