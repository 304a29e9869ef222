// One test body for every backend.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "cuda/core/backend.h"

namespace perturb {

// A fixture whose tests run once per backend, with the backend in the test's name. Where there is no CUDA device the test
// is skipped, visibly and with the reason.
//
//   class Scaling : public OnEachBackend {};
//   PERTURB_ON_EACH_BACKEND(Scaling);
//   TEST_P(Scaling, DoublesEveryCell) { Array<float> a(backend(), ...); ... }
class OnEachBackend : public testing::TestWithParam<BackendKind> {
 protected:
  void SetUp() override;
  Backend& backend() { return *backend_; }

 private:
  std::unique_ptr<Backend> backend_;
};

std::string backend_test_name(const testing::TestParamInfo<BackendKind>& info);

}  // namespace perturb

#define PERTURB_ON_EACH_BACKEND(Fixture)                                                                             \
  INSTANTIATE_TEST_SUITE_P(Backend, Fixture, testing::Values(perturb::BackendKind::cpu, perturb::BackendKind::cuda), \
                           perturb::backend_test_name)
