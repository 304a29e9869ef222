#include "app/window/report.h"

#include <ctime>
#include <filesystem>
#include <system_error>
#include <vector>

#include "app/i18n/language.h"
#include "app/io/files/csv.h"
#include "app/io/image/image.h"
#include "app/io/state/script_file.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace fs = std::filesystem;

namespace {

std::string html(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += std::string("&lt;");
    else if (c == '>')
      safe += std::string("&gt;");
    else if (c == '&')
      safe += std::string("&amp;");
    else if (c == '"')
      safe += std::string("&quot;");
    else
      safe += std::string(1, c);
  }
  return safe;
}

std::string cells(const std::vector<Message>& texts) {
  std::string row = "<tr>";
  for (const Message& text : texts) row += "<td>" + html(tr(text)) + "</td>";
  return row + "</tr>\n";
}

// As in the window, without the unit.
Message shown_value(const ValueInfo& p, double value, const DisplayUnit& unit) {
  if (p.kind == ValueKind::boolean) return value != 0 ? "on" : "off";
  if (p.kind == ValueKind::choice) return p.choices.at(static_cast<std::size_t>(value)).label;
  if (value == 0 && !p.zero.empty()) return p.zero;
  return Message::value(unit.factor == 1 ? p.format(value) : format_number(value * unit.factor));
}

std::string headings(const std::vector<Message>& texts) {
  std::string row = "<tr>";
  for (const Message& text : texts) row += "<th>" + html(tr(text)) + "</th>";
  return row + "</tr>\n";
}

// The experiment itself: what has been placed in the scene, with its numbers.
std::string objects_table(const Session& session) {
  const RunStatus& run = session.run();
  if (run.objects.empty()) return {};
  std::string table =
      "<h2>" + html(tr("Objects")) + "</h2>\n<table>\n" + headings({"Object", "Number", "Value", "Unit"});
  for (const SceneObject& object : run.objects) {
    const ActionKind* const kind = find_kind(run.info->actions, object.kind);
    if (!kind) continue;
    for (const ValueInfo& field : kind->fields) {
      const auto number = object.numbers.find(field.id);
      if (number == object.numbers.end()) continue;
      const DisplayUnit unit = field.kind == ValueKind::real
                                   ? display_unit(session.display_units(), field.unit, field.id)
                                   : DisplayUnit{field.unit, 1};
      table += cells({name_of(object, run), field.label, shown_value(field, number->second, unit), unit.text});
    }
  }
  return table + "</table>\n";
}

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

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[40] = "";
  if (localtime_r(&now, &parts)) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

}  // namespace

std::string report_page(const Session& session, bool has_curves, const std::string& date) {
  const RunStatus& run = session.run();
  const Setup& setup = run.scene->setup;
  const SimulationInfo& info = session.info();
  const DisplayUnits& units = session.display_units();
  const std::string title = tr(run.scene->title.empty() ? info.title : run.scene->title);
  std::string page = "<!DOCTYPE html>\n<html lang=\"" + language() + "\"><head><meta charset=\"utf-8\"><title>" +
                     html(title) +
                     "</title>\n<style>body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
                     "img{max-width:100%}table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:.2em .6em;"
                     "text-align:left}.changed{font-weight:bold}</style></head><body>\n";
  page += "<h1>" + html(title) + "</h1>\n<p>" + html(tr(info.title)) + (info.equation.empty() ? "" : ": ") +
          html(info.equation) + "</p>\n<p>" + html(tr(info.summary)) + "</p>\n";
  page += "<p><img src=\"picture.png\" alt=\"" +
          html(tr("{} at step {}", Message(session.view().quantity().label), run.steps)) + "\"></p>\n<p>" +
          html(tr("{} at time {}, step {}.", Message(session.view().quantity().label),
                  clock_text(units, info, run.time), run.steps)) +
          "</p>\n";
  page += "<h2>" + html(tr("Measured")) + "</h2>\n<table>\n";
  for (const Scalar& scalar : session.diagnostics_poller().latest().scalars)
    page += cells({scalar.label, quantity_text(units, scalar.value, scalar.unit, scalar.id, 6)});
  for (const Instrument& one : session.instruments().all())
    page += cells({one.name(), session.instruments().text_of(one, info, session.domain(), run.time, units)});
  for (const Curve& curve : session.measurements().curves())
    if (const Message error = error_text(curve); !error.empty())
      page += cells({curve.label, Message("against theory{}", error)});
  page += "</table>\n";
  if (has_curves) page += "<p><img src=\"curves.png\" alt=\"" + html(tr("The curves")) + "\"></p>\n";
  page += objects_table(session);
  page += "<h2>" + html(tr("Parameters")) + "</h2>\n<table>\n" + headings({"Parameter", "Value", "Unit"});
  for (std::size_t k = 0; k < run.parameters.size(); ++k) {
    const Parameter& p = info.parameters[k];
    const DisplayUnit unit = p.kind == ValueKind::real ? display_unit(units, p.unit, p.id) : DisplayUnit{p.unit, 1};
    std::string row = cells({p.symbol.empty() ? Message(p.label) : Message("{}, {}", Message(p.label), p.symbol),
                             shown_value(p, run.parameters[k], unit), unit.text});
    if (run.parameters[k] != session.parameters().default_of(p)) row.replace(0, 4, "<tr class=\"changed\">");
    page += row;
  }
  page += "</table>\n<p>" + html(tr("Bold: changed from the scene's default.")) + "</p>\n<h2>" +
          html(tr("How it was computed")) + "</h2>\n<table>\n";
  const Backend& backend = session.backend();
  page += cells({"Scene", Message::value(setup.simulation + (setup.preset.empty() ? "" : "/" + setup.preset))});
  if (setup.width > 0) page += cells({"Size", Message("{} x {}", setup.width, setup.height)});
  page += cells({"Seed", Message("{}", setup.seed)});
  if (const std::string scales = scale_text(units); !scales.empty())
    page += cells({"Units in files of the run", Message::value(scales)});
  page += cells({"Device", backend.is_cuda() ? Message::value(backend.device_name() + " (CUDA)")
                                             : Message("{}, {} threads", backend.device_name(), backend.threads())});
  page +=
      cells({"Kernel", run.kernel_choice.empty() ? Message::value(id_in_options(run.kernel))
                                                 : Message("{}: {}", id_in_options(run.kernel), run.kernel_choice)});
  page += cells({"Program", Message::value("Perturb " PERTURB_VERSION)});
  if (!date.empty()) page += cells({"Date", Message::value(date)});
  page += "</table>\n<h2>" + html(tr("Repeat the run")) + "</h2>\n<p>" +
          html(tr("The script repeats the run, bit for bit on the same kind of device:")) +
          "</p>\n<pre>perturb --script run.toml --headless --save again.h5</pre>\n<p>" + html(tr("Files")) +
          ": <a href=\"run.toml\">run.toml</a>"
          ", <a href=\"curves.csv\">curves.csv</a>, <a href=\"numbers.txt\">numbers.txt</a>.</p>\n</body></html>\n";
  return page;
}

void write_report(Session& session, const Picture& picture, const Picture& curves) {
  try {
    const std::string folder = new_folder(session.output().stem() + "-report");
    save_png(picture, folder + "/picture.png");
    if (!curves.pixels.empty()) save_png(curves, folder + "/curves.png");
    const std::vector<Curve> all = session.measurements().all_curves();
    save_text(curves_as_csv(all), folder + "/curves.csv");
    save_text(session.exporter().numbers(), folder + "/numbers.txt");
    save_text(report_page(session, !curves.pixels.empty(), today()), folder + "/index.html");
    session.exporter().save_script_to(folder + "/run.toml",
                                      in_its_folder(folder + "/index.html", "Report saved: {} in {}"));
  } catch (const Error& error) {
    session.show_error(error.message());
  }
}

}  // namespace perturb
