// What a study found, in words: for the terminal, for a page, and in full for other programs.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cuda/core/bench/study.h"

namespace perturb {

// "time per step", "share, %": the unit where the numbers below do not bring it along.
std::string heading_text(const StudyColumn& column);
// With a prefix where the unit takes one: "12.3 ms".
std::string cell_text(const StudyColumn& column, const StudyValue& value);
// Whether a column holds words, which stand to the left.
bool holds_text(const StudyTable& table, std::size_t column);

void print_table(const StudyTable& table, std::ostream& out);

// docs/json.md explains them. Infinite and undefined numbers are null.
nlohmann::ordered_json study_json(const StudyTable& table);
nlohmann::ordered_json study_json(const StudyPlot& plot);

// The first line of a file of numbers, and a line for each number or text of a study's tables. Numbers read back to the
// same bits.
std::string study_csv_headings();
std::string study_csv(const std::string& study, const StudyResult& result);

}  // namespace perturb
