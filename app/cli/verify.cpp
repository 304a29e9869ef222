#include <cmath>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/soak.h"
#include "app/cli/terminal.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

int verify_command(const VerifyOptions& options) {
  if (options.presets) return soak_command(options);
  std::vector<const SimulationInfo*> chosen = catalog();
  if (!options.simulation.empty()) chosen = {&find_simulation(options.simulation)};
  Message note;
  const auto backend = make_backend(options.backend, options.threads, &note);
  if (!note.empty()) std::cerr << "Checked on the CPU: " << note.english() << '\n';

  auto json = nlohmann::ordered_json::array();
  bool all_pass = true;
  for (const SimulationInfo* info : chosen) {
    TextTable table({"check", ">expected", ">got", "unit", ">error", ">tolerance", ""});
    for (const TheoryCheck& check : info->verify(*backend, options.with_long)) {
      // An error that is not a number does not pass.
      const bool pass = check.pass() && std::isfinite(check.error);
      all_pass = all_pass && pass;
      json.push_back({{"simulation", info->id},
                      {"name", check.name},
                      {"backend", backend->id()},
                      {"unit", check.unit},
                      {"expected", check.expected},
                      {"got", check.got},
                      {"error", check.error},
                      {"tolerance", check.tolerance},
                      {"pass", pass},
                      {"note", check.note}});
      table.add({check.name, format_number(check.expected, 9), format_number(check.got, 9), check.unit,
                 format_number(check.error, 3), format_number(check.tolerance, 3), pass ? "pass" : "FAIL"});
    }
    if (options.json) continue;
    std::cout << info->title << " on " << backend->device_name() << " (" << backend->id() << ")\n";
    table.print(std::cout);
  }
  if (options.json)
    std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  else
    std::cout << (all_pass ? "All checks pass.\n" : "Some checks FAIL.\n");
  return all_pass ? 0 : 1;
}

}  // namespace perturb
