#include "tests/support/backends.h"

namespace perturb {

std::vector<BackendKind> tested_backends() {
  std::vector<BackendKind> kinds = {BackendKind::cpu};
  if (cuda_status().usable) kinds.push_back(BackendKind::cuda);
  return kinds;
}

void OnEachBackend::SetUp() { backend_ = GetParam() == BackendKind::cpu ? Backend::make_cpu(2) : Backend::make_cuda(); }

Backend& OnEachBackend::in_one_thread() {
  if (GetParam() != BackendKind::cpu) return backend();
  if (!one_thread_) one_thread_ = Backend::make_cpu(1);
  return *one_thread_;
}

std::string backend_test_name(const testing::TestParamInfo<BackendKind>& info) {
  return info.param == BackendKind::cpu ? "cpu" : "cuda";
}

}  // namespace perturb
