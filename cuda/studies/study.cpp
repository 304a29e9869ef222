#include "cuda/studies/study.h"

#include <cmath>

#include "cuda/core/backend/check.h"

namespace perturb {

double number_of(const StudyValue& value) {
  if (const auto* printed = std::get_if<PrintedNumber>(&value)) return printed->value;
  const auto* number = std::get_if<double>(&value);
  return number != nullptr ? *number : NAN;
}

const char* name_of(LineKind kind) {
  switch (kind) {
    case LineKind::measured:
      return "measured";
    case LineKind::paper:
      return "paper";
    case LineKind::theory:
      return "theory";
    case LineKind::reference:
      return "reference";
  }
  return "";
}

std::size_t StudyTable::index_of(std::string_view column_id) const {
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].id == column_id) return c;
  throw Error("internal: the table {} has no column {}", id, std::string(column_id));
}

StudyLine StudyTable::line(std::string_view x, std::string_view y, std::string label, LineKind kind) const {
  const std::size_t from = index_of(x), to = index_of(y);
  StudyLine line{label.empty() ? columns[to].label : std::move(label), {}, kind};
  for (const std::vector<StudyValue>& row : rows)
    if (!std::holds_alternative<std::string>(row[from]) && !std::holds_alternative<std::string>(row[to]))
      line.add(number_of(row[from]), number_of(row[to]));
  return line;
}

std::vector<StudyLine> StudyTable::lines(std::string_view x, const std::vector<std::string>& y) const {
  std::vector<StudyLine> all;
  for (const std::string& id_of_line : y) all.push_back(line(x, id_of_line));
  if (y.empty())
    for (const StudyColumn& of : columns)
      if (of.id != x) all.push_back(line(x, of.id));
  return all;
}

StudyPlot plot_of(std::string title, StudyAxis x, StudyAxis y, std::vector<StudyLine> lines) {
  return {std::move(title),
          std::move(x.label),
          std::move(x.unit),
          std::move(y.label),
          std::move(y.unit),
          x.scale == Scale::logarithmic,
          y.scale == Scale::logarithmic,
          std::move(lines)};
}

namespace {
StudyRequest current_request;
}

const StudyRequest& study_request() { return current_request; }
StudyRequestScope::StudyRequestScope(const StudyRequest& request) : before_(current_request) {
  current_request = request;
}
StudyRequestScope::~StudyRequestScope() { current_request = before_; }

std::string left_out_note(const std::string& parts) {
  if (parts.empty()) return "";
  if (study_request().size_given) return " Left out by --size: " + parts + ".";
  return " Left out because of time: " + parts + "; use --long to include them.";
}

#define STUDIES(name)                  \
  namespace name {                     \
  std::vector<Study> name##_studies(); \
  }
#include "study_catalog.inc"
#undef STUDIES

std::vector<Study> studies_of(const std::string& simulation) {
#define STUDIES(name) \
  if (simulation == #name) return name::name##_studies();
#include "study_catalog.inc"
#undef STUDIES
  return {};
}

}  // namespace perturb
