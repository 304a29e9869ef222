#include "cuda/core/bench/paper_studies.h"

#include <algorithm>
#include <span>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/embedded.h"
#include "cuda/core/simulation/number_text.h"

namespace perturb {

std::span<const EmbeddedFile> embedded_source_studies();

std::vector<PaperStudy> read_paper_studies(std::string_view text) {
  std::vector<PaperStudy> list;
  int number = 0;
  const auto require = [&](bool condition, const char* what) {
    if (!condition) throw Error("internal: assets/source_studies.csv, line " + std::to_string(number) + ": " + what);
  };
  const auto take = [&](char separator) {
    const std::size_t at = text.find(separator);
    require(at != std::string_view::npos, "four fields and the end of a line are wanted");
    const std::string_view field = text.substr(0, at);
    require(field.find('\n') == std::string_view::npos, "four fields are wanted");
    text.remove_prefix(at + 1);
    return std::string(field);
  };
  for (number = 1; !text.empty(); ++number) {
    PaperStudy study;
    study.simulation = take(','), study.study = take(','), study.preset = take(',');
    const std::string seconds = take('\n');
    if (number == 1) {
      require(seconds == "seconds", "the headings are wanted");
      continue;
    }
    require(!study.simulation.empty() && !study.study.empty(), "a simulation and a study are wanted");
    require(read_number(seconds, study.seconds) && study.seconds > 0, "seconds are wanted");
    list.push_back(std::move(study));
  }
  return list;
}

std::vector<PaperStudy> paper_studies(std::string_view simulation) {
  static const std::vector<PaperStudy> all = read_paper_studies(embedded_source_studies().front().text);
  std::vector<PaperStudy> list;
  std::copy_if(all.begin(), all.end(), std::back_inserter(list),
               [&](const PaperStudy& study) { return study.simulation == simulation; });
  return list;
}

}  // namespace perturb
