#include "app/lessons/lab_report.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "app/io/files/csv.h"
#include "app/lessons/curve_svg.h"
#include "app/lessons/html.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

// Rows that fit on the sheet; the rest follows on the screen.
constexpr std::size_t printed_objects = 8, printed_numbers = 12, printed_curves = 2;

constexpr const char* report_style =
    "@page{size:A4;margin:12mm}"
    "body{font:9.5pt/1.3 sans-serif;color:#000;background:#fff;max-width:186mm;margin:6mm auto;padding:0 4mm}"
    "h1{font-size:15pt;margin:0}h2{font-size:10.5pt;margin:2.5mm 0 1mm}p{margin:1mm 0}"
    "table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ccc;padding:.4mm 2mm .4mm 0;"
    "text-align:left;vertical-align:top}.changed{font-weight:bold}"
    "header{display:flex;justify-content:space-between;gap:6mm;align-items:baseline;border-bottom:1px solid #000}"
    ".columns{display:grid;grid-template-columns:1fr 1fr;gap:0 6mm}figure{margin:0;break-inside:avoid}"
    "img,svg{width:100%;height:auto}img{max-height:72mm;object-fit:contain;object-position:left top}"
    ".write{border:1px solid #888;padding:1mm 2mm;min-height:34mm}.line{display:inline-block;min-width:50mm;"
    "border-bottom:1px solid #888}.small,figcaption{font-size:8pt}details{margin-top:6mm}"
    "@media print{body{margin:0;padding:0;max-width:none}details{display:none}.write{break-inside:avoid}}";

std::string report_row(const std::vector<Message>& texts, const char* cell = "td") {
  std::string cells = "<tr>";
  for (const Message& text : texts)
    cells += "<" + std::string(cell) + ">" + html_text(text) + "</" + std::string(cell) + ">";
  return cells + "</tr>\n";
}

std::string report_table(const std::string& rows) { return rows.empty() ? rows : "<table>\n" + rows + "</table>\n"; }

// As in the window, with the unit.
Message shown_value(const LabReport& report, const ValueInfo& p, double value) {
  if (p.kind == ValueKind::boolean) return value != 0 ? "on" : "off";
  if (p.kind == ValueKind::choice) return p.choices.at(static_cast<std::size_t>(value)).label;
  if (value == 0 && !p.zero.empty()) return p.zero;
  const DisplayUnit unit =
      p.kind == ValueKind::real ? display_unit(report.units, p.unit, p.id) : DisplayUnit{p.unit, 1};
  return with_unit(unit.factor == 1 ? p.format(value) : format_number(value * unit.factor), unit.text);
}

Message value_of(const LabReport& report, const Scalar& scalar) {
  return quantity_text(report.units, scalar.value, scalar.unit, scalar.id, 6);
}

// ---- the experiment

// The objects of the scene, a row each.
std::string object_rows(const LabReport& report, std::size_t first, std::size_t end) {
  std::string rows;
  const std::vector<SceneObject>& objects = report.run.objects;
  for (std::size_t k = first; k < std::min(end, objects.size()); ++k) {
    const ActionKind* const kind = find_kind(report.run.info->actions, objects[k].kind);
    if (!kind) continue;
    Message all;
    for (const ValueInfo& field : kind->fields) {
      const auto number = objects[k].numbers.find(field.id);
      if (number == objects[k].numbers.end()) continue;
      const Message one("{} {}", Message(field.label), shown_value(report, field, number->second));
      all = all.empty() ? one : Message("{}; {}", all, one);
    }
    rows += report_row({name_of(objects[k], report.run), all});
  }
  return rows;
}

// `on_sheet`: the scene's controls and what was changed; otherwise all.
std::string parameter_rows(const LabReport& report, bool on_sheet) {
  std::string rows;
  const std::vector<std::string>& controls = report.run.scene->simple.controls;
  for (std::size_t k = 0; k < report.run.parameters.size(); ++k) {
    const Parameter& p = report.run.info->parameters[k];
    const double value = report.run.parameters[k];
    const bool is_changed = value != report.defaults.at(k);
    if (on_sheet && !is_changed && std::find(controls.begin(), controls.end(), p.id) == controls.end()) continue;
    std::string one = report_row({p.symbol.empty() ? Message(p.label) : Message("{}, {}", Message(p.label), p.symbol),
                                  shown_value(report, p, value)});
    if (is_changed) one.replace(0, 4, "<tr class=\"changed\">");
    rows += one;
  }
  return rows;
}

std::string experiment(const LabReport& report) {
  std::string rows = object_rows(report, 0, printed_objects);
  for (const Scalar& scalar : report.numbers.scalars)
    if (scalar.meaning == Meaning::regime && std::isfinite(scalar.value))
      rows += report_row({scalar.label, value_of(report, scalar)});
  return html_element("h2", "The experiment") + report_table(rows + parameter_rows(report, true));
}

// ---- what was measured

const Scalar* find(const LabReport& report, const std::string& id) {
  for (const Scalar& scalar : report.numbers.scalars)
    if (scalar.id == id && std::isfinite(scalar.value)) return &scalar;
  return nullptr;
}

const Scalar* theory_of(const LabReport& report, const Scalar& measured) {
  const Scalar* const theory = find(report, measured.id + "_theory");
  return theory ? theory : find(report, measured.id + "_expected");
}

// Those of the scene's simple view, and all that have a theory.
std::vector<const Scalar*> main_numbers(const LabReport& report) {
  std::vector<const Scalar*> all;
  const auto add = [&](const Scalar* scalar) {
    const bool is_new = scalar && std::find(all.begin(), all.end(), scalar) == all.end();
    const bool is_theory = scalar && (scalar->id.ends_with("_theory") || scalar->id.ends_with("_expected") ||
                                      scalar->meaning == Meaning::regime);
    if (is_new && !is_theory && all.size() < printed_numbers) all.push_back(scalar);
  };
  for (const std::string& id : report.run.scene->simple.readings) add(find(report, id));
  for (const Scalar& scalar : report.numbers.scalars)
    if (std::isfinite(scalar.value) && theory_of(report, scalar)) add(&scalar);
  if (all.empty())
    for (const Scalar& scalar : report.numbers.scalars) add(find(report, scalar.id));
  return all;
}

Message relative_difference(double measured, double theory) {
  return theory == 0 ? Message() : Message("{} %", format_number(100 * (measured - theory) / std::abs(theory), 2));
}

std::string measured(const LabReport& report) {
  std::string rows = report_row({"Quantity", "Measured", "Theory", "Deviation"}, "th");
  for (const Scalar* const scalar : main_numbers(report)) {
    const Scalar* const theory = theory_of(report, *scalar);
    rows += theory ? report_row({scalar->label, value_of(report, *scalar), value_of(report, *theory),
                                 relative_difference(scalar->value, theory->value)})
                   : report_row({scalar->label, value_of(report, *scalar), "", ""});
  }
  for (const auto& [name, reading] : report.instruments) rows += report_row({name, reading, "", ""});
  return html_element("h2", "Measured") + report_table(rows);
}

// ---- curves

// The scene's own, those with theory, and the others.
std::vector<const Curve*> sorted_curves(const LabReport& report) {
  std::vector<const Curve*> all;
  for (const Curve& curve : report.curves)
    if (!curve.points.empty()) all.push_back(&curve);
  const auto rank = [&](const Curve* curve) {
    return curve->id == report.run.scene->plot ? 0 : curve->theory.empty() ? 2 : 1;
  };
  std::stable_sort(all.begin(), all.end(), [&](const Curve* a, const Curve* b) { return rank(a) < rank(b); });
  return all;
}

std::string figures(const std::vector<const Curve*>& curves, std::size_t first, std::size_t end) {
  std::string all;
  for (std::size_t k = first; k < std::min(end, curves.size()); ++k) {
    const Message error = error_text(*curves[k]);
    const Message title = error.empty() ? curves[k]->label : Message("{}, against theory{}", curves[k]->label, error);
    all += "<figure>" + html_element("figcaption", title) + curve_as_svg(*curves[k]) + "</figure>\n";
  }
  return all.empty() ? all : "<div class=\"columns\">\n" + all + "</div>\n";
}

// ---- below the sheet

std::string how_computed(const LabReport& report) {
  const RunStatus& run = report.run;
  const Setup& setup = run.scene->setup;
  std::string rows =
      report_row({"Scene", Message::value(setup.simulation + (setup.preset.empty() ? "" : "/" + setup.preset))});
  if (setup.width > 0) rows += report_row({"Size", Message("{} x {}", setup.width, setup.height)});
  rows += report_row({"Seed", Message("{}", setup.seed)});
  if (const std::string scales = scale_text(report.units); !scales.empty())
    rows += report_row({"Units in files of the run", Message::value(scales)});
  const Backend& backend = *run.backend;
  rows +=
      report_row({"Device", backend.is_cuda() ? Message::value(backend.device_name() + " (CUDA)")
                                              : Message("{}, {} threads", backend.device_name(), backend.threads())});
  rows += report_row({"Kernel", run.kernel_choice.empty()
                                    ? Message::value(id_in_options(run.kernel))
                                    : Message("{}: {}", id_in_options(run.kernel), run.kernel_choice)});
  return html_element("h2", "How it was computed") +
         report_table(rows + report_row({"Program", Message::value("Perturb " PERTURB_VERSION)}));
}

std::string all_numbers(const LabReport& report) {
  std::string rows;
  for (const Scalar& scalar : report.numbers.scalars)
    if (std::isfinite(scalar.value)) rows += report_row({scalar.label, value_of(report, scalar)});
  return html_element("h2", "All numbers") + report_table(rows);
}

std::string repeat(const LabReport& report) {
  if (report.files.empty()) return {};
  std::string links;
  for (const std::string& file : report.files)
    links +=
        (links.empty() ? ": " : ", ") + ("<a href=\"" + escape_for_html(file)) + "\">" + escape_for_html(file) + "</a>";
  return html_element("h2", "Repeat the run") +
         html_element("p", "The script repeats the run, bit for bit on the same kind of device:") +
         "<pre>perturb --script run.toml --headless --save again.perturb</pre>\n<p>" + html_text("Files") + links +
         "</p>\n";
}

std::string rest(const LabReport& report, const std::vector<const Curve*>& curves) {
  return "<details>\n<summary>" + html_text("Everything else (not printed)") + "</summary>\n" +
         report_table(object_rows(report, printed_objects, report.run.objects.size())) + all_numbers(report) +
         figures(curves, printed_curves, curves.size()) + html_element("h2", "Parameters") +
         report_table(parameter_rows(report, false)) + html_element("p", "Bold: changed from the scene's default.") +
         how_computed(report) + repeat(report) + "</details>\n";
}

}  // namespace

std::string lab_report_page(const LabReport& report) {
  const RunStatus& run = report.run;
  const SimulationInfo& info = *run.info;
  const Message title = run.scene->title.empty() ? info.title : run.scene->title;
  const std::vector<const Curve*> curves = sorted_curves(report);
  std::string page = "<header>" + html_element("h1", title) + "<p>" + html_text("Name") +
                     ": <span class=\"line\" contenteditable=\"true\"></span> " + escape_for_html(report.date) +
                     "</p></header>\n<p>" + html_text(info.title) + (info.equation.empty() ? "" : ": ") +
                     escape_for_html(info.equation) + "</p>\n";
  page += "<div class=\"columns\">\n<figure><img src=\"" + escape_for_html(report.picture) + "\" alt=\"" +
          html_text({"{} at step {}", report.quantity, run.steps}) + "\">" +
          html_element("figcaption", {"{} at time {}, step {}.", report.quantity,
                                      clock_text(report.units, info, run.time), run.steps}) +
          "</figure>\n<div>\n" + experiment(report) + "</div>\n</div>\n" + measured(report) +
          figures(curves, 0, printed_curves) + html_element("h2", "My conclusion") +
          "<div class=\"write\" contenteditable=\"true\"></div>\n";
  return html_page(tr(title), report_style, page + rest(report, curves));
}

}  // namespace perturb
