// The results of a study as text: for the terminal, for a page, and in full for other programs.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cuda/core/bench/study.h"

namespace perturb {

// "time per step", "share, %": includes the unit if the numbers below do not.
std::string heading_text(const StudyColumn& column);
// With a prefix if the unit takes one: "12.3 ms".
std::string cell_text(const StudyColumn& column, const StudyValue& value);
// Whether a column holds text, which is left-aligned.
bool holds_text(const StudyTable& table, std::size_t column);

void print_table(const StudyTable& table, std::ostream& out);

// docs/json.md explains the members. Infinite and undefined numbers are null.
nlohmann::ordered_json study_json(const StudyTable& table);
nlohmann::ordered_json study_json(const StudyPlot& plot);

// The heading line of a CSV file, and a line for each number or text of a study's tables. Numbers read back bit for
// bit.
std::string study_csv_headings();
std::string study_csv(const std::string& study, const StudyResult& result);

}  // namespace perturb
