// Every item of the papers, for `perturb paper` and for studies without a CUDA device: assets/paper_items.tsv,
// embedded, which scripts/paper_items.py makes from docs/papers, docs/benchmarks and assets/sources.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuda/studies/study.h"

namespace perturb {

// A line of the file: fields separated by tabs, which may be empty.
struct PaperItem {
  std::string paper;      // its page in docs/papers: "discs"
  std::string kind;       // "machine" (a column: its name and device), "claim" (of the page), "finding" (of a study),
                          // "number", "setting", "untested"
  std::string place;      // "table 6.1"
  std::string item;       // the claim, or the row and the column of a number
  std::string printed;    // by the paper: a number with its unit, or what it says
  std::string h200;       // measured on it, or why not
  std::string two_cores;  // the same
  std::string holds;      // "yes", "no", "unclear", "not comparable"; empty: no verdict of its own
  std::string why;        // the reason
  std::string study;      // that measured it: "interaction"
};

// Throws Error with the line number if the text is malformed. The text is part of the project: a test reads it.
std::vector<PaperItem> read_paper_items(std::string_view text);
// The items of a paper, or of all papers.
std::vector<PaperItem> paper_items(std::string_view paper = {});

// "table 4.2", "table 4.6" of the place "tables 4.2 and 4.6", in small letters.
std::vector<std::string> places_of(std::string_view place);
// The items at this place ("table 6.1"), else those that contain these words next to each other, else those that have
// all of them in any order.
std::vector<PaperItem> matching_items(const std::vector<PaperItem>& items, const std::string& wanted);

// Adds to a study's findings, which were measured without a CUDA device, those that need one: as not measured, with the
// paper's number and the stored result, which names its device. Claims that differ only in numbers (of a smaller size
// here) are not added. A result without findings gets a table of them. `items`: of the study's paper.
void add_findings_that_need_cuda(const std::vector<PaperItem>& items, const std::string& study, StudyResult& result);

}  // namespace perturb
