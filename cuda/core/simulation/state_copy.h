// An in-memory copy of a run's state, to restore later: everything that the next step depends on, in the memory of the
// backend.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "cuda/core/backend/field.h"

namespace perturb {

// Created by Simulation::copy_state, restored by Simulation::restore.
class StateCopy {
 public:
  virtual ~StateCopy() = default;
  virtual std::size_t bytes() const = 0;  // size in memory
};

// Copies of members, one after the other. Fields are copied within the backend's memory, queued like a step: the caller
// does not wait.
class MemberCopy final : public StateCopy {
 public:
  std::size_t bytes() const override { return bytes_; }

 private:
  friend class MemberCopier;
  struct Part {
    virtual ~Part() = default;
  };
  template <class T>
  struct Copy final : Part {
    T value;
  };
  std::vector<std::unique_ptr<Part>> parts_;
  std::size_t bytes_ = 0;
};

// Visits the members of a simulation, always in the same order, and copies or restores them. Handles anything that can
// be assigned, Array, Field, and classes that visit their own members: `void visit_members(MemberCopier&)`.
class MemberCopier {
 public:
  // Copies into `copies`, which is empty or an earlier copy of the same simulation, whose memory is then reused.
  MemberCopier(Backend& backend, MemberCopy& copies) : backend_(backend), into_(&copies) { copies.bytes_ = 0; }
  // Restores the contents of `copies`.
  MemberCopier(Backend& backend, const MemberCopy& copies) : backend_(backend), from_(&copies) {}

  bool is_restoring() const { return from_ != nullptr; }
  Backend& backend() { return backend_; }

  template <class... Members>
  void operator()(Members&... members) {
    (member(members), ...);
  }

 private:
  template <class T>
  void member(T& value) {
    if constexpr (requires { value.visit_members(*this); }) {
      value.visit_members(*this);
    } else if (is_restoring()) {
      assign(value, static_cast<const MemberCopy::Copy<T>&>(*from_->parts_[next_++]).value);
    } else {
      auto& parts = into_->parts_;
      if (next_ == parts.size()) parts.push_back(nullptr);
      auto* copy = dynamic_cast<MemberCopy::Copy<T>*>(parts[next_].get());
      if (!copy) {
        auto made = std::make_unique<MemberCopy::Copy<T>>();
        copy = made.get();
        parts[next_] = std::move(made);
      }
      assign(copy->value, value);
      into_->bytes_ += bytes_of(value);
      ++next_;
    }
  }

  template <class T>
  void assign(T& to, const T& from) {
    to = from;
  }
  template <class T>
  void assign(Array<T>& to, const Array<T>& from) {
    if (to.size() != from.size())
      to = from.empty() ? Array<T>() : Array<T>(backend_, from, "state copy");
    else if (!from.empty())
      to.copy_from(from);
  }
  template <class T>
  void assign(Field<T>& to, const Field<T>& from) {
    if (to.width() != from.width() || to.height() != from.height())
      to = from.empty() ? Field<T>() : Field<T>(backend_, from, "state copy");
    else if (!from.empty())
      to.copy_from(from);
  }
  template <class T>
  static std::size_t bytes_of(const T&) {
    return sizeof(T);
  }
  template <class T>
  static std::size_t bytes_of(const std::vector<T>& values) {
    return values.size() * sizeof(T);
  }
  template <class T>
  static std::size_t bytes_of(const Array<T>& array) {
    return array.size() * sizeof(T);
  }
  template <class T>
  static std::size_t bytes_of(const Field<T>& field) {
    return field.empty() ? 0 : Field<T>::bytes_of(field.width(), field.height());
  }

  Backend& backend_;
  MemberCopy* into_ = nullptr;
  const MemberCopy* from_ = nullptr;
  std::size_t next_ = 0;
};

// Implemented by simulations whose state is copied for undo without waiting for the device.
class CopiesMembers {
 public:
  // Visits every member that the following steps depend on, always in the same order; derived values are recomputed if
  // `copier.is_restoring()`.
  virtual void visit_members(MemberCopier& copier) = 0;

 protected:
  ~CopiesMembers() = default;
};

}  // namespace perturb
