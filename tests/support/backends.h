// One test body for every backend.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/backend.h"

namespace perturb {

// The CPU, and CUDA if a device is available. If none is, one test reports it (tests/core/backend_test.cpp) instead of
// each.
std::vector<BackendKind> tested_backends();

// A fixture whose tests run once per tested backend, with the backend in the test's name.
//
//   class Scaling : public OnEachBackend {};
//   PERTURB_ON_EACH_BACKEND(Scaling);
//   TEST_P(Scaling, DoublesEveryCell) { Array<float> a(backend(), ...); ... }
class OnEachBackend : public testing::TestWithParam<BackendKind> {
 protected:
  void SetUp() override;
  Backend& backend() { return *backend_; }
  // The CPU with one thread, or CUDA. Results that are compared with theory are bit-identical for any number of threads
  // (checked by the contract tests), and threads that wait for each other in many short loops cost a third more.
  Backend& in_one_thread();

 private:
  std::unique_ptr<Backend> backend_, one_thread_;
};

std::string backend_test_name(const testing::TestParamInfo<BackendKind>& info);

}  // namespace perturb

#define PERTURB_ON_EACH_BACKEND(Fixture) \
  INSTANTIATE_TEST_SUITE_P(Backend, Fixture, testing::ValuesIn(perturb::tested_backends()), perturb::backend_test_name)
