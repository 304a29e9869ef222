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
  Place place;
  std::uint64_t id = 0;                  // RunLog::id_before(place)
  std::map<std::string, double> chosen;  // parameters as somebody chose them
  std::map<std::string, double> values;  // as they were
  std::string kernel;
  std::unique_ptr<Moment> moment;
};

class Snapshots {
 public:
  // Adds it and gives others up until all take no more than `most_bytes`: of old ones those
  // that leave the smallest gap.
  void add(Snapshot snapshot, std::size_t most_bytes);
  // The last one on the way to this place of the log, in its leg; null: none.
  const Snapshot* find(const RunLog& log, const Place& place) const;
  // What lies after this place will never be.
  void drop_after(const Place& place);
  void clear() { kept_.clear(), bytes_ = 0; }
  std::size_t bytes() const { return bytes_; }
  std::size_t count() const { return kept_.size(); }

 private:
  void give_up_one();

  std::vector<Snapshot> kept_;  // in the order of places
  std::size_t bytes_ = 0;
};

}  // namespace perturb
