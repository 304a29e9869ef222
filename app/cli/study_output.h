// The results of studies: as text for the terminal and in full for other programs, as an image of the plots, and as a
// page for a class.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/cli/study_run.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/study.h"

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

// The points by which a line is drawn, in the style of its kind: as they are (measured, and the paper's, which are
// dashed, a single one a ring); dots at equal distances (theory); bars and dots (a reference). `extent`: width and
// height of the plot.
std::vector<CurvePoint> styled_points(const std::vector<CurvePoint>& line, LineKind kind, const CurvePoint& extent);
// A line's name in the legend, which says its style.
std::string legend_text(const StudyLine& line);

// An image of all plots, one below the other, drawn like the plots of the panels with a text size for print. Throws
// Error if nothing can be drawn (no OpenGL).
Picture study_image(const std::vector<StudyPlot>& plots);

// Contents of a page for a class: the measurements of the paper, those of this machine, and which findings hold.
struct StudyPage {
  std::string simulation, title;  // "lbm", "Lattice Boltzmann flow"
  std::string device;             // and other facts about the machine
  std::string command, date;
  std::vector<StudyOutcome> outcomes;           // in order, without studies that did not begin
  std::vector<std::string> missing;             // the options of studies that did not begin
  std::map<std::string, std::string> pictures;  // file names by study id
  std::string no_pictures;                      // why there are none; empty: no reason to show
};

// The page in Markdown: first every finding with its verdict, then each study with its tables and its image, then the
// numbers of the paper. Studies that were stopped, failed or did not begin are marked.
std::string page_text(const StudyPage& page, const PaperTable& source);

}  // namespace perturb
