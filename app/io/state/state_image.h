// A state as the bytes of its HDF5 file, built in memory, so that HDF5 never encounters a full disk. Any thread may
// create one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "cuda/core/simulation/state.h"

namespace perturb {

class StateImage {
 public:
  // The same state gives the same bytes: they contain no times, and the format is a fixed version of HDF5's. Throws
  // Error if memory runs out.
  explicit StateImage(const State& state);
  // The same, but releases each field of the state once it is in the image: both together take little more memory than
  // one of them.
  explicit StateImage(State&& state);
  ~StateImage();
  StateImage(const StateImage&) = delete;
  StateImage& operator=(const StateImage&) = delete;

  // whole file with checksum header; valid during the lifetime of this object
  std::span<const std::byte> bytes() const;

 private:
  void make(const State& state, State* consumed);

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace perturb
