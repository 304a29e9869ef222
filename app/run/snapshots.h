// Snapshots of a run within bounded memory. A later position is reached from a snapshot by taking the steps between, so
// any snapshot may be dropped.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/run/run_log.h"

namespace perturb {

struct Snapshot {
  LogPosition position;
  std::uint64_t id = 0;                  // RunLog::id_before(position)
  std::map<std::string, double> chosen;  // parameters chosen by the user
  std::map<std::string, double> values;  // values of all parameters
  std::string kernel;
  std::unique_ptr<StateCopy> copy;
};

class Snapshots {
 public:
  // Adds a snapshot and drops others until all take at most `max_bytes`, first those that leave the smallest gap. Keeps
  // the one before it as long as there are others, because undo returns to it. Returns null if even this one does not
  // fit.
  const Snapshot* add(Snapshot snapshot, std::size_t max_bytes);
  // Memory of a dropped snapshot for the next one (Simulation::copy_state): newly allocated memory is slow to write,
  // often slower than the copy. If another copy as large as the newest would exceed `max_bytes`, drops a snapshot for
  // it, except `wanted`. Null: none available.
  std::unique_ptr<StateCopy> take_spare(std::size_t max_bytes, const RunLog& log, const Snapshot* wanted = nullptr);
  // Releases the spare: another simulation cannot reuse its memory.
  void drop_spare() { spare_.reset(); }
  // Keeps this memory for the next snapshot if all fit together.
  void keep_spare(std::unique_ptr<StateCopy> copy);
  // Whether there is no spare and one as large as the newest snapshot would fit.
  bool needs_spare() const {
    return !spare_ && !snapshots_.empty() && bytes_ + snapshots_.back().copy->bytes() <= max_bytes_;
  }
  // The last snapshot on the way to this position of the log, in its segment; null: none.
  const Snapshot* find(const RunLog& log, const LogPosition& position) const;
  // Drops the snapshots after this position, which have become invalid.
  void drop_after(const LogPosition& position);
  void clear() { snapshots_.clear(), spare_.reset(), bytes_ = 0; }
  // Includes the spare.
  std::size_t bytes() const { return bytes_ + (spare_ ? spare_->bytes() : 0); }
  std::size_t count() const { return snapshots_.size(); }

 private:
  // Index among the snapshots except the newest, `added` and the one just before it, if there are others.
  std::size_t find_least_needed(std::size_t added) const;
  std::unique_ptr<StateCopy> remove(std::size_t index);

  std::vector<Snapshot> snapshots_;  // sorted by position
  std::unique_ptr<StateCopy> spare_;
  std::size_t bytes_ = 0;      // total, without the spare
  std::size_t max_bytes_ = 0;  // last limit passed to add()
};

}  // namespace perturb
