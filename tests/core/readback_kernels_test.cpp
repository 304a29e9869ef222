// Bytes copied to the host after the work queued before them, and before the work queued later.
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/parallel_for.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

class Readback : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(Readback);

struct WriteRound {
  unsigned char* bytes;
  int round;
  PERTURB_HD void operator()(int k) const { bytes[k] = static_cast<unsigned char>(7 * k + 31 * round); }
};

std::vector<unsigned char> bytes_of_round(int size, int round) {
  std::vector<unsigned char> bytes(size);
  for (int k = 0; k < size; ++k) WriteRound{bytes.data(), round}(k);
  return bytes;
}

std::vector<unsigned char> came_back(const AsyncReadback& readback, int size) {
  std::vector<unsigned char> bytes(size);
  std::memcpy(bytes.data(), readback.data(), bytes.size());
  return bytes;
}

// Up to 4096 bytes are copied by a kernel, more by the copy engine.
TEST_P(Readback, HoldsContentsAtRequest) {
  for (const int size : {1, 3, 127, 129, 4095, 4096, 4097, 1000003}) {
    Array<unsigned char> bytes(backend(), size, "bytes");
    AsyncReadback readback(backend(), size);
    for (int round = 1; round <= 3; ++round) {
      parallel_for(backend(), "test.round", Range1D{size}, WriteRound{bytes.data(), round});
      readback.start(bytes.data());
      parallel_for(backend(), "test.round", Range1D{size}, WriteRound{bytes.data(), -round});
      readback.wait();
      EXPECT_TRUE(readback.ready());
      ASSERT_TRUE(came_back(readback, size) == bytes_of_round(size, round)) << size << " bytes, round " << round;
    }
  }
}

TEST_P(Readback, IsReadyWhenItHasCome) {
  constexpr int size = 50000;
  Array<unsigned char> bytes(backend(), size, "bytes");
  AsyncReadback readback(backend(), size);
  EXPECT_TRUE(readback.ready()) << "nothing is on its way";
  parallel_for(backend(), "test.round", Range1D{size}, WriteRound{bytes.data(), 5});
  readback.start(bytes.data());
  if (!backend().is_cuda()) {
    EXPECT_TRUE(readback.ready()) << "there at once";
  }
  while (!readback.ready()) {
  }
  EXPECT_TRUE(came_back(readback, size) == bytes_of_round(size, 5));
}

TEST_P(Readback, SeveralAreIndependent) {
  constexpr int size = 777;
  Array<unsigned char> bytes(backend(), size, "bytes");
  AsyncReadback first(backend(), size), second(backend(), size);
  parallel_for(backend(), "test.round", Range1D{size}, WriteRound{bytes.data(), 1});
  first.start(bytes.data());
  parallel_for(backend(), "test.round", Range1D{size}, WriteRound{bytes.data(), 2});
  second.start(bytes.data());
  second.wait();
  first.wait();
  EXPECT_TRUE(came_back(first, size) == bytes_of_round(size, 1));
  EXPECT_TRUE(came_back(second, size) == bytes_of_round(size, 2));
}

// Destroying a pending readback leaves the queue in order.
TEST_P(Readback, MayBeDestroyedWhilePending) {
  constexpr int size = 100001;
  Array<unsigned char> bytes(backend(), size, "bytes");
  for (int round = 0; round < 5; ++round) {
    parallel_for(backend(), "test.round", Range1D{size}, WriteRound{bytes.data(), round});
    AsyncReadback(backend(), size).start(bytes.data());
  }
  EXPECT_TRUE(bytes.download() == bytes_of_round(size, 4));
}

}  // namespace
}  // namespace perturb
