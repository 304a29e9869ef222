// RAII handles for HDF5 objects, and HDF5 failures as exceptions. Included only by code that uses HDF5.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include <hdf5.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// Throws Error if an HDF5 call has failed. The message says what was being done: HDF5's own messages describe its
// internals and do not help the user.
template <class Code>
Code checked(Code code, const Message& doing) {
  if (code < 0) {
    H5Eclear2(H5E_DEFAULT);
    throw Error("{}: HDF5 failed", doing);
  }
  return code;
}

// Owns any HDF5 object, and closes it.
class Handle {
 public:
  Handle(hid_t id, herr_t (*closer)(hid_t), const Message& doing) : id_(checked(id, doing)), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  // Releases ownership without closing; the object lives until the process ends.
  void abandon() { id_ = -1; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// HDF5 may be built without thread safety, and the window autosaves on another thread. Hold this lock during every HDF5
// call, including those that close something.
class Hdf5Lock {
 public:
  Hdf5Lock() : lock_(mutex()) {}

 private:
  static std::mutex& mutex();
  std::lock_guard<std::mutex> lock_;
};

// Call before any other HDF5 function. Turns off HDF5's error output to stderr, because failures become messages here.
// Also turns off its cleanup at exit, which may crash after a failure.
void quiet_hdf5();

hid_t native_type(ElementType type);

}  // namespace perturb
