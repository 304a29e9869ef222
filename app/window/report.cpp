#include "app/window/report.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "app/io/files/csv.h"
#include "app/io/files/date.h"
#include "app/io/image/image.h"
#include "app/io/state/script_file.h"
#include "app/lessons/lab_report.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace fs = std::filesystem;

namespace {

// A folder name that does not exist yet.
std::string new_folder(const std::string& wanted) {
  std::error_code failure;
  std::string name = wanted;
  for (int k = 2; fs::exists(name, failure); ++k) name = wanted + "-" + std::to_string(k);
  if (!fs::create_directory(name, failure))
    throw Error("Cannot create the folder \"{}\" for the report: {}. Choose another folder for files.", name,
                failure ? Message(failure.message()) : "it already exists");
  return name;
}

}  // namespace

std::string report_page(const Session& session, const std::string& date, const std::string& picture,
                        const std::vector<std::string>& files) {
  const RunStatus& run = session.run();
  const DisplayUnits& units = session.display_units();
  LabReport report{run,     session.diagnostics_poller().latest(),
                   units,   session.measurements().curves(),
                   {},      session.view().quantity().label,
                   picture, {},
                   date,    files};
  for (const Parameter& p : run.info->parameters) report.defaults.push_back(session.parameters().default_of(p));
  for (const Instrument& one : session.instruments().all())
    report.instruments.emplace_back(
        one.name(), session.instruments().text_of(one, session.info(), session.domain(), run.time, units));
  return lab_report_page(report);
}

void write_report(Session& session, const Picture& picture) {
  try {
    const std::string folder = new_folder(session.output().stem() + "-report");
    save_png(picture, folder + "/picture.png");
    save_text(curves_as_csv(session.measurements().all_curves()), folder + "/curves.csv");
    save_text(session.exporter().numbers(), folder + "/numbers.txt");
    save_text(report_page(session, today(), "picture.png", {"run.toml", "curves.csv", "numbers.txt"}),
              folder + "/index.html");
    session.exporter().save_script_to(folder + "/run.toml",
                                      in_its_folder(folder + "/index.html", "Report saved: {} in {}"));
  } catch (const Error& error) {
    session.show_error(error.message());
  }
}

void write_report_page(const Session& session, const Picture& picture, const std::string& path) {
  const fs::path image = fs::path(path).replace_extension(".png");
  save_png(picture, image.string());
  save_text(report_page(session, today(), image.filename().string()), path);
}

}  // namespace perturb
