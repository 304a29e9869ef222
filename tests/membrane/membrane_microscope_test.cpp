// The microscope of the membrane: its numbers are those of the saved state.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "tests/support/backends.h"
#include "tests/support/inspected.h"

namespace perturb::membrane {
namespace {

class MembraneMicroscope : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(MembraneMicroscope);

TEST_P(MembraneMicroscope, NumbersAreThoseOfTheSavedState) {
  for (const char* name : {"assembly", "refined"}) {
    SCOPED_TRACE(name);
    Scene scene = load_scene(std::string("membrane/") + name);
    if (const auto level = scene.setup.parameters.find("level"); level != scene.setup.parameters.end())
      level->second = std::min(level->second, 3.0);
    Experiment run(backend(), scene);
    Simulation& membrane = run.simulation();
    const State state = membrane.save();
    const std::vector<std::size_t> shape = state.datasets.at("coefficients").shape;
    const std::size_t patches = shape[0], most = shape[1];
    const auto coefficients = state.get<double>("coefficients", shape),
               center = state.get<double>("patch_center", {patches, 2}),
               half = state.get<double>("patch_half_width", {patches});
    const auto degree = state.get<std::int64_t>("degree", {patches});
    ViewSettings view;
    view.quantity = membrane.info().quantities.front().id;
    for (const double x : {0.03, 0.26, 0.4999, 0.77})
      for (const double y : {0.11, 0.52, 0.98}) {
        const Inspection seen = inspect(membrane, x, y);
        const std::vector<double> over = inspected(seen, "Patches over the cell"),
                                  weights = inspected(seen, "Their weights at the pointer"),
                                  degrees = inspected(seen, "Their polynomial degrees");
        ASSERT_FALSE(over.empty());
        ASSERT_EQ(weights.size(), over.size());
        EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-12);
        // Exactly the patches over the point.
        for (std::size_t p = 0; p < patches; ++p) {
          const bool covers = std::abs(x - center[2 * p]) < half[p] && std::abs(y - center[2 * p + 1]) < half[p];
          EXPECT_EQ(std::count(over.begin(), over.end(), static_cast<double>(p)), covers ? 1 : 0) << p;
        }
        for (std::size_t k = 0; k < over.size(); ++k)
          EXPECT_EQ(degrees[k], static_cast<double>(degree[static_cast<std::size_t>(over[k])]));
        // "Integration cell in patch 12".
        const auto own = static_cast<std::size_t>(std::stoi(seen.title.arguments().front().text()));
        const std::vector<double> shown = inspected(seen, "Coefficients of patch " + std::to_string(own));
        ASSERT_LE(shown.size(), most);
        for (std::size_t n = 0; n < shown.size(); ++n) EXPECT_EQ(shown[n], coefficients[own * most + n]);
        const auto value = membrane.number_at(x, y, view);
        ASSERT_TRUE(value.has_value());
        EXPECT_NEAR(inspected(seen, "Solution u")[0], *value, 1e-9 + 1e-9 * std::abs(*value));
      }
  }
}

}  // namespace
}  // namespace perturb::membrane
