// The columns of a table of a run's numbers.
#pragma once

#include <string>
#include <vector>

namespace perturb {

struct Column {
  std::string id, unit;
};

// Implemented by every simulation: all numbers that its diagnostics can contain, in the order of a table. So a table
// has the same columns from its first row on, whatever comes into the scene later.
class HasColumns {
 public:
  virtual std::vector<Column> columns() const = 0;

 protected:
  ~HasColumns() = default;
};

}  // namespace perturb
