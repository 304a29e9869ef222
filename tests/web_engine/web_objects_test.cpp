// The page's engine: objects and theory over the view.
#include <string>

#include <gtest/gtest.h>

#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/simulation.h"
#include "tests/web_engine/web_engine_fixture.h"

namespace perturb {
namespace {

class WebObjects : public WebEngineFixture {
 protected:
  Json overlay() { return done("overlay", sized({})); }
  static Json sized(Json with) {
    with["width"] = 640;
    with["height"] = 400;
    return with;
  }
  // Drags a handle from where it is by a number of pixels.
  Json drag(const Json& object, int handle, double dx, double dy) {
    const Json at = object["handles"][static_cast<std::size_t>(handle)]["at"];
    const double x = at[0], y = at[1];
    done("drag_object",
         sized({{"object", object["id"]}, {"handle", handle}, {"start", at}, {"x", x + dx / 2}, {"y", y + dy / 2}}));
    return done("drag_object", sized({{"x", x + dx}, {"y", y + dy}}));
  }
  static double number(const Json& status, std::size_t object, const char* name) {
    return status["objects"][object]["numbers"][name].get<double>();
  }
};

TEST_F(WebObjects, OverlayShowsEachHandleAtItsPlaceInFlatAndDeepViews) {
  const Json begun = done("open", {{"scene", "wave/double-slit"}, {"width", 128}, {"height", 64}});
  const auto compare = [&] {
    const Json shown = overlay();
    ASSERT_EQ(shown["objects"].size(), begun["objects"].size());
    for (std::size_t k = 0; k < shown["objects"].size(); ++k) {
      const Json at = shown["objects"][k]["handles"][0]["at"];
      const Json place = done("locate", sized({{"x", at[0]}, {"y", at[1]}}));
      // The knob of both is at the middle of their positions.
      double expected[2] = {0, 0};
      int numbers[2] = {0, 0};
      for (const auto& [name, value] : begun["objects"][k]["numbers"].items())
        if (const char axis = name[0]; (axis == 'x' || axis == 'y') && name.size() <= 2) {
          expected[axis - 'x'] += value.get<double>();
          ++numbers[axis - 'x'];
        }
      ASSERT_GT(numbers[0], 0);
      EXPECT_NEAR(place["x"].get<double>(), expected[0] / numbers[0], 1e-9);
      ASSERT_GT(numbers[1], 0);
      EXPECT_NEAR(place["y"].get<double>(), expected[1] / numbers[1], 1e-9);
    }
  };
  compare();
  done("view", {{"camera", {{"zoom", 1.7}, {"center", {0.4, 0.6}}}}});
  compare();
  for (const SimulationInfo* info : catalog())
    if (info->id == "wave")
      for (const Quantity& quantity : info->quantities)
        if (quantity.has_depth) {
          done("view", {{"quantity", quantity.id}});
          compare();
        }
}

TEST_F(WebObjects, DragMovesObjectWithPointerAndIsOneUndoStep) {
  const Json begun = done("open", {{"scene", "wave/double-slit"}, {"width", 128}, {"height", 64}});
  const Json source = overlay()["objects"][0];
  ASSERT_EQ(source["kind"], "line-source");
  // A place moves by as much as the pointer.
  const auto place = [&](double x) { return done("locate", sized({{"x", x}, {"y", 200}}))["x"].get<double>(); };
  const double per_pixel = (place(140) - place(100)) / 40;
  const Json moved = drag(source, 0, 40, 0);
  const char* x = begun["objects"][0]["numbers"].contains("x") ? "x" : "x1";
  EXPECT_NEAR(number(moved, 0, x) - number(begun, 0, x), 40 * per_pixel, 1e-6);
  EXPECT_EQ(number(moved, 0, "frequency"), number(begun, 0, "frequency"));
  EXPECT_EQ(done("undo")["status"]["objects"], begun["objects"]) << "both positions are one undo step";
  // It ends at the side of the domain.
  const Json far = drag(source, 0, 5000, 0);
  EXPECT_GT(number(far, 0, x), 0.9);
  EXPECT_LE(number(far, 0, x), 1);
}

TEST_F(WebObjects, DragOfAHandleChangesItsNumber) {
  const Json begun = done("open", {{"scene", "wave/double-slit"}, {"width", 128}, {"height", 64}});
  const Json slits = overlay()["objects"][1];
  ASSERT_EQ(slits["kind"], "slits");
  bool changed_one = false;
  for (std::size_t k = 1; k < slits["handles"].size(); ++k) {
    const Json& handle = slits["handles"][k];
    if (handle["label"] != "Distance") continue;
    const std::string name = handle["numbers"][0];
    const Json after = drag(slits, static_cast<int>(k), 0, handle["at"][1] < slits["handles"][0]["at"][1] ? -60 : 60);
    EXPECT_GT(number(after, 1, name.c_str()), number(begun, 1, name.c_str()));
    changed_one = true;
  }
  EXPECT_TRUE(changed_one);
}

TEST_F(WebObjects, DragIsRejectedWithoutObjectAndEndsWithAnUndo) {
  const Json begun = done("open", {{"scene", "wave/double-slit"}, {"width", 128}, {"height", 64}});
  const Json at = {100, 100};
  const auto rejected = [&](const Json& with) { return call("drag_object", sized(with)).contains("error"); };
  EXPECT_TRUE(rejected({{"object", 999}, {"handle", 0}, {"start", at}, {"x", 1}, {"y", 1}}));
  EXPECT_TRUE(rejected({{"object", 1}, {"handle", 99}, {"start", at}, {"x", 1}, {"y", 1}}));
  EXPECT_TRUE(rejected({{"object", 1}, {"handle", 0}, {"start", Json::array()}, {"x", 1}, {"y", 1}}));
  const Json source = overlay()["objects"][0];
  drag(source, 0, 40, 0);
  done("undo");
  EXPECT_EQ(done("drag_object", sized({{"x", 300}, {"y", 200}}))["objects"], begun["objects"])
      << "a drag ends with an undo";
}

TEST_F(WebObjects, TheoryIsMarkedWhereTheViewAsksForIt) {
  done("open", {{"scene", "wave/refraction"}});
  EXPECT_TRUE(done("look")["has_theory"].get<bool>());
  EXPECT_TRUE(overlay()["marks"].empty()) << "theory is off when a scene opens";
  EXPECT_TRUE(done("view", {{"theory", true}})["view"]["theory"].get<bool>());
  done("look");
  const Json marks = overlay()["marks"];
  ASSERT_FALSE(marks.empty());
  bool has_angle = false;
  for (const Json& mark : marks) {
    for (const Json& point : mark["points"]) EXPECT_TRUE(point[0].is_number() && point[1].is_number());
    has_angle = has_angle || mark["label"].dump().find("°") != std::string::npos;
  }
  EXPECT_TRUE(has_angle) << marks.dump();
  // Another run has none until its numbers are measured.
  done("open", {{"scene", "wave/rain"}, {"width", 64}, {"height", 64}, {"view", {{"theory", true}}}});
  EXPECT_TRUE(overlay()["marks"].empty());
}

}  // namespace
}  // namespace perturb
