// HDF5's objects with an owner, and its failures as exceptions. Included only where HDF5 is spoken.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include <hdf5.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// Throws Error where a call into HDF5 has not succeeded. It says what was being done: HDF5's own words name its
// insides, and do not help the user who opens a file.
template <class Code>
Code checked(Code code, const std::string& doing) {
  if (code < 0) H5Eclear2(H5E_DEFAULT), throw Error(doing + " failed");
  return code;
}

// Owns any HDF5 object, and closes it.
class Handle {
 public:
  Handle(hid_t id, herr_t (*closer)(hid_t), const std::string& doing) : id_(checked(id, doing)), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  // Left to the end of the process.
  void abandon() { id_ = -1; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// HDF5 may have been built for one thread at a time, and a window keeps its run safe on a thread of its own. Held
// over every call, those that close something too.
class Hdf5Lock {
 public:
  Hdf5Lock() : lock_(mutex()) {}

 private:
  static std::mutex& mutex();
  std::lock_guard<std::mutex> lock_;
};

// To be called before anything else of HDF5. It prints every failure to stderr unless told otherwise; here they become
// sentences. And it must not tidy up when the process ends: after a failure that tidying may crash.
void quiet_hdf5();

hid_t native_type(ElementType type);

}  // namespace perturb
