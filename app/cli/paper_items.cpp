// `perturb paper`: what holds today of the papers that simulations follow.
#include "cuda/studies/paper_items.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/terminal.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/parameters.h"
#include "cuda/studies/paper.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;
using Items = std::vector<PaperItem>;

constexpr const char* verdicts[] = {"yes", "no", "unclear", "not comparable"};
// The kinds of items in the order of the output, with the heading of their table.
constexpr std::pair<const char*, const char*> kinds[] = {{"claim", "main claim"},
                                                         {"finding", "finding"},
                                                         {"number", "number"},
                                                         {"setting", "setting"},
                                                         {"untested", "not tested"}};

std::vector<const SimulationInfo*> with_paper() {
  std::vector<const SimulationInfo*> list;
  for (const SimulationInfo* info : catalog())
    if (!info->paper_page.empty()) list.push_back(info);
  return list;
}

const SimulationInfo& paper_named(const std::string& name) {
  std::vector<std::string> names;
  for (const SimulationInfo* info : with_paper()) {
    if (name == info->paper_page || name == info->id) return *info;
    names.push_back(info->paper_page);
  }
  throw InputError("There is no paper \"{}\"{}", name, did_you_mean(name, names, ": \"perturb paper\" lists them."));
}

std::string page_of(const SimulationInfo& info) { return "docs/papers/" + info.paper_page + ".md"; }

Items of_kind(const Items& items, const std::string& kind) {
  Items found;
  std::copy_if(items.begin(), items.end(), std::back_inserter(found),
               [&](const PaperItem& item) { return item.kind == kind; });
  return found;
}

std::map<std::string, int> counted(const Items& items) {
  std::map<std::string, int> counts;
  for (const PaperItem& item : of_kind(items, "claim")) ++counts[item.holds];
  return counts;
}

std::string command_of(const SimulationInfo& info, const PaperItem& item) {
  if (item.study.empty()) return "";
  std::string preset;
  for (const PaperStudy& study : paper_studies(info.id))
    if (study.study == item.study && !study.preset.empty()) preset = "/" + study.preset;
  return "perturb bench " + info.id + preset + " --" + item.study;
}

int list_papers(bool as_json) {
  Json json = {{"papers", Json::array()}};
  std::vector<std::string> headings = {"paper"};
  for (const char* verdict : verdicts) headings.push_back(std::string(">") + verdict);
  headings.emplace_back("title");
  TextTable table(headings);
  for (const SimulationInfo* info : with_paper()) {
    std::map<std::string, int> counts = counted(paper_items(info->paper_page));
    std::vector<std::string> row = {info->paper_page};
    Json claims = Json::object();
    for (const char* verdict : verdicts) {
      row.push_back(std::to_string(counts[verdict]));
      claims[verdict] = counts[verdict];
    }
    row.push_back(paper_table(info->id).cited());
    table.add(std::move(row));
    json["papers"].push_back({{"paper", info->paper_page},
                              {"simulation", info->id},
                              {"source", paper_table(info->id).cited()},
                              {"page", page_of(*info)},
                              {"claims", std::move(claims)}});
  }
  if (as_json) {
    std::cout << json.dump(2) << '\n';
    return 0;
  }
  std::cout << "How many of each paper's main claims hold on an NVIDIA H200:\n\n";
  table.print(std::cout);
  std::cout
      << "\n\"perturb paper fibers\" shows the claims of a paper, \"perturb paper fibers 'table 6.1'\" all that it "
         "has of a table, a figure or a section, and \"perturb paper fibers ring\" all with this word.\n";
  return 0;
}

// The end of an error: the nearest place of the paper, or how to see them.
Message nearest_place(const SimulationInfo& info, const Items& items, const std::string& wanted) {
  std::vector<std::string> places;
  for (const PaperItem& item : items) {
    places.push_back(item.place);
    for (std::string& place : places_of(item.place)) places.push_back(std::move(place));
  }
  std::erase(places, "");
  return did_you_mean(wanted, places,
                      Message(". \"perturb paper {}\" lists its claims with their places.", info.paper_page));
}

void print_items(const SimulationInfo& info, const Items& items) {
  for (const auto& [kind, heading] : kinds) {
    const Items rows = of_kind(items, kind);
    if (rows.empty()) continue;
    // A column that is empty throughout is left out.
    std::vector<std::pair<std::string, std::string PaperItem::*>> columns;
    for (const auto& [title, member] : {std::pair{std::string(heading), &PaperItem::item},
                                        {"place", &PaperItem::place},
                                        {"paper", &PaperItem::printed},
                                        {"H200", &PaperItem::h200},
                                        {"two cores", &PaperItem::two_cores},
                                        {"holds?", &PaperItem::holds},
                                        {"why", &PaperItem::why}})
      if (std::any_of(rows.begin(), rows.end(),
                      [member = member](const PaperItem& row) { return !(row.*member).empty(); }))
        columns.emplace_back(title, member);
    std::vector<std::string> headings;
    for (const auto& [title, member] : columns) headings.push_back(title);
    TextTable table(headings);
    std::vector<std::string> commands;
    for (const PaperItem& row : rows) {
      std::vector<std::string> cells;
      for (const auto& [title, member] : columns) cells.push_back(row.*member);
      table.add(std::move(cells));
      const std::string command = command_of(info, row);
      if (!command.empty() && std::find(commands.begin(), commands.end(), command) == commands.end())
        commands.push_back(command);
    }
    std::cout << '\n';
    table.print(std::cout);
    for (const std::string& command : commands) std::cout << "Measured by: " << command << '\n';
  }
}

}  // namespace

int paper_items_command(const PaperOptions& options) {
  if (options.paper.empty()) return list_papers(options.json);
  const SimulationInfo& info = paper_named(options.paper);
  const Items all = paper_items(info.paper_page);
  const Items found = options.item.empty() ? of_kind(all, "claim") : matching_items(all, options.item);
  if (found.empty())
    throw InputError("{} has nothing about \"{}\"{}", info.paper_page, options.item,
                     nearest_place(info, all, options.item));
  if (!options.json) {
    std::cout << paper_table(info.id).cited() << "\nPage: " << page_of(info) << '\n';
    print_items(info, found);
    std::cout << '\n';
    for (const PaperItem& machine : of_kind(all, "machine"))
      std::cout << machine.item << ": " << machine.printed << '\n';
    return 0;
  }
  Json json = {{"paper", info.paper_page}, {"simulation", info.id},      {"source", paper_table(info.id).cited()},
               {"page", page_of(info)},    {"machines", Json::object()}, {"items", Json::array()}};
  for (const PaperItem& machine : of_kind(all, "machine")) json["machines"][machine.item] = machine.printed;
  for (const PaperItem& item : found)
    json["items"].push_back({{"kind", item.kind},
                             {"place", item.place},
                             {"item", item.item},
                             {"paper", item.printed},
                             {"h200", item.h200},
                             {"two_cores", item.two_cores},
                             {"holds", item.holds},
                             {"why", item.why},
                             {"command", command_of(info, item)}});
  std::cout << json.dump(2) << '\n';
  return 0;
}

}  // namespace perturb
