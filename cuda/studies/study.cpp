#include "cuda/studies/study.h"

#include <cmath>

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
