// Every kind of action that a simulation declares is executed or rejected with a message.
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/simulation/catalog.h"

namespace perturb {
namespace {

// Each number has its default, or the middle of its range if it has none.
Action usual_action(const ActionKind& kind) {
  Action action;
  action.kind = kind.id;
  for (const ValueInfo& field : kind.fields) {
    const double middle = 0.5 * (field.minimum + field.maximum);
    action.numbers[field.id] = std::isnan(field.initial) ? middle : field.initial;
  }
  if (kind.takes_image) {
    GreyImage image{2, 2, {0, 1, 1, 0}};
    action.image = std::make_shared<const GreyImage>(std::move(image));
  }
  return action;
}

TEST(Actions, EveryKindIsHandled) {
  const auto backend = Backend::make_cpu(2);
  for (const SimulationInfo* info : catalog()) {
    perturb::Setup setup;
    setup.simulation = info->id;
    setup.width = setup.height = 32;
    const auto simulation = info->create(*backend, setup);
    for (const ActionKind& kind : info->actions) {
      SCOPED_TRACE(info->id + " " + kind.id);
      try {
        simulation->apply(usual_action(kind));
      } catch (const InputError& error) {
        EXPECT_GT(std::string(error.what()).size(), 20U);
      }
    }
  }
}

}  // namespace
}  // namespace perturb
