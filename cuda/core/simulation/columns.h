// The columns of a table of a run's numbers.
#pragma once

#include <string>
#include <vector>

namespace perturb {

struct Column {
  std::string id, unit;
};

// Implemented by a simulation whose numbers come and go: all that its diagnostics can contain, in the order of a table,
// which so has the same columns from its first row on. Without it, the first row decides.
class HasColumns {
 public:
  virtual std::vector<Column> columns() const = 0;

 protected:
  ~HasColumns() = default;
};

}  // namespace perturb
