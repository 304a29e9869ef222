// Moments of a run that are kept to come back to, within bounded memory. From one of them a later place is reached by
// taking the steps between; so any of them may be given up.
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
  std::uint64_t id = 0;                  // RunLog::id_before(place)
  std::map<std::string, double> chosen;  // parameters as somebody chose them
  std::map<std::string, double> values;  // as they were
  std::string kernel;
  std::unique_ptr<StateCopy> copy;
};

class Snapshots {
 public:
  // Adds it and gives others up until all take no more than `max_bytes`: of old ones those that leave the smallest
  // gap. The one before it stays as long as there are others, for it is what an undo goes back to. Null: not even this
  // one has room.
  const Snapshot* add(Snapshot snapshot, std::size_t max_bytes);
  // What one that was given up had held, whose memory the next one may take (Simulation::copy_state): memory that is
  // new to the program is slow to write, often slower than the copy. Where another one as large as the newest would be
  // too much, one is given up for it, but not `wanted`. Null: there is none.
  std::unique_ptr<StateCopy> take_spare(std::size_t max_bytes, const RunLog& log, const Snapshot* wanted = nullptr);
  // Another simulation cannot use its memory again.
  void drop_spare() { spare_.reset(); }
  // For the next one, where all have room together.
  void keep_spare(std::unique_ptr<StateCopy> copy);
  // Whether none is there, and one as large as the newest would have room.
  bool needs_spare() const {
    return !spare_ && !snapshots_.empty() && bytes_ + snapshots_.back().copy->bytes() <= max_bytes_;
  }
  // The last one on the way to this place of the log, in its segment; null: none.
  const Snapshot* find(const RunLog& log, const LogPosition& position) const;
  // What lies after this place will never be.
  void drop_after(const LogPosition& position);
  void clear() { snapshots_.clear(), spare_.reset(), bytes_ = 0; }
  // With what is laid aside.
  std::size_t bytes() const { return bytes_ + (spare_ ? spare_->bytes() : 0); }
  std::size_t count() const { return snapshots_.size(); }

 private:
  // Of those that lie before the newest, and neither at `added` nor right before it, if there are any.
  std::size_t find_least_needed(std::size_t added) const;
  std::unique_ptr<StateCopy> remove(std::size_t index);

  std::vector<Snapshot> snapshots_;  // in the order of places
  std::unique_ptr<StateCopy> spare_;
  std::size_t bytes_ = 0;      // of those kept
  std::size_t max_bytes_ = 0;  // that all may take, as it was said last
};

}  // namespace perturb
