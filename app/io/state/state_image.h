// A state as the bytes of its HDF5 file, made in memory: HDF5 never meets a full disk. Any thread may make one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "cuda/core/simulation/state.h"

namespace perturb {

class StateImage {
 public:
  // The same state gives the same bytes: no times are in them, and the format is one fixed version of HDF5's. Throws
  // Error when there is not enough memory.
  explicit StateImage(const State& state);
  // The same, and gives up each of the state's fields once it is in the image: both together take little more memory
  // than one of them.
  explicit StateImage(State&& state);
  ~StateImage();
  StateImage(const StateImage&) = delete;
  StateImage& operator=(const StateImage&) = delete;

  std::span<const std::byte> bytes() const;  // of the whole file, sealed; valid as long as this lives

 private:
  void make(const State& state, State* consumed);

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace perturb
