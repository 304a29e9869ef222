// A text table for the terminal.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace perturb {

// Columns are as wide as their widest cell; a heading that begins with '>' aligns its column to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> headings);
  void add(std::vector<std::string> row);
  void print(std::ostream& out) const;

 private:
  std::vector<std::string> headings_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

// 0.00123 with unit "s" as "1.23 ms": three digits and a prefix from n to T.
std::string with_prefix(double value, const std::string& unit);

}  // namespace perturb
