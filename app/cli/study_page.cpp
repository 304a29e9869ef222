#include "app/cli/study_page.h"

#include "app/cli/study_text.h"

namespace perturb {

namespace {

constexpr const char* findings = "findings";  // the id of findings_table (cuda/core/bench/verdict.h)

// A vertical bar would end the cell.
std::string in_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? "\\|" : c == '\n' ? " " : std::string(1, c);
  return cell;
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + in_cell(cell) + " |";
  return line + "\n";
}

std::string text_of(const StudyTable& table) {
  std::vector<std::string> headings, rules;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    headings.push_back(heading_text(table.columns[c]));
    rules.push_back(holds_text(table, c) ? ":---" : "---:");
  }
  std::string text = "**" + table.title + "**\n\n";
  if (!table.rows.empty()) text += line_of(headings) + line_of(rules);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < table.columns.size(); ++c) cells.push_back(cell_text(table.columns[c], row.at(c)));
    text += line_of(cells);
  }
  return text + (table.rows.empty() ? "" : "\n") + (table.note.empty() ? "" : table.note + "\n\n");
}

// The findings of all studies in one table, with the study that measured each.
std::string what_holds(const StudyPage& page) {
  StudyTable all;
  std::string notes;
  for (const StudyOutcome& outcome : page.outcomes)
    for (const StudyTable& table : outcome.result.tables) {
      if (table.id != findings) continue;
      if (all.columns.empty()) {
        all.title = table.title, all.columns = table.columns;
        all.columns.push_back({"study", "study", ""});
      }
      for (std::vector<StudyValue> row : table.rows) {
        row.emplace_back("--" + outcome.id);
        all.rows.push_back(std::move(row));
      }
      if (!table.note.empty()) notes += "- `--" + outcome.id + "`: " + table.note + "\n";
    }
  if (all.columns.empty())
    return "Nothing that the work found could be put to the test in this run: the studies below say what they "
           "need.\n\n";
  return text_of(all) +
         "A verdict is computed from repeats, where it can be taken in turns: one that holds, or is reversed, would "
         "come about by the scatter of these repeats at most once in a hundred times; a machine that grew slower "
         "between two sides is not seen, so a ratio near 1 may come out otherwise on another day. Numbers without "
         "noise, such as registers, are compared as they are: alike or in an order; one that the work prints and this "
         "machine computes agrees or differs. A ratio is what the work found slower over what it found faster.\n\n" +
         notes + "\n";
}

std::string numbers_of(const PaperTable& source) {
  std::string text = line_of({"where", "row", "column", "value", "unit", "read from"}) +
                     line_of({":---", ":---", ":---", "---:", ":---", ":---"});
  for (const PaperValue& value : source.values())
    text += line_of({value.place, value.row, value.column, value.digits, value.unit, value.read});
  return text;
}

std::string study_text(const StudyPage& page, const StudyOutcome& outcome) {
  std::string text = "### `perturb bench " + page.simulation + " --" + outcome.id + "`\n\n" + outcome.summary +
                     " It took " + format_duration(outcome.seconds) + " here.\n\n";
  if (!outcome.error.empty())
    text += "**It failed:** " + outcome.error + "\n\n";
  else if (!outcome.complete)
    text += "**It was stopped before its end.** What it had found by then:\n\n";
  for (const StudyTable& table : outcome.result.tables)
    if (table.id != findings) text += text_of(table);
  if (const auto picture = page.pictures.find(outcome.id); picture != page.pictures.end())
    text += "![The curves of --" + outcome.id + "; what is compared with is dashed](" + picture->second + ")\n\n";
  return text;
}

}  // namespace

std::string page_text(const StudyPage& page, const PaperTable& source) {
  std::string text = "# " + page.title + ": a published work, measured again\n\n";
  text += "The work: " + source.cited() + ".\n\n";
  text += "Measured on " + page.device + ", " + page.date + ", by `" + page.command + "`.\n\n";
  if (!page.missing.empty()) {
    text += "**The run was stopped.** Not measured:";
    for (const std::string& id : page.missing) text += " `--" + id + "`";
    text += "\n\n";
  }
  text += "## What holds here\n\n" + what_holds(page);
  text += "## What was measured\n\nColumns that speak of the source, and dashed lines, are the work's own numbers.\n\n";
  if (!page.no_pictures.empty()) text += "There are no pictures: " + page.no_pictures + "\n\n";
  for (const StudyOutcome& outcome : page.outcomes) text += study_text(page, outcome);
  text += "## What the work itself says\n\n" + numbers_of(source);
  return text;
}

}  // namespace perturb
