// The tank's objects (core/simulation/object.h): their numbers, handles and outlines.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/simulation/object.h"
#include "cuda/core/simulation/state.h"
#include "cuda/wave/model/edit.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/source.h"

namespace perturb::wave {

// An oscillator or a line source at this time.
SceneObject source_object(const Source& source, const Grid& tank, double time);

// An object of the medium: a wall with slits, a lens, or a region where waves have another speed.
struct BuiltObject {
  int id = 0;
  std::string kind;
  std::map<std::string, double> numbers;  // all fields of its kind
};

// The kinds of these objects; their order is that of the index in saved states.
const std::vector<std::string>& built_kinds();
// The cells that it covers, and how.
Overlay overlay_of(const BuiltObject& object, const Grid& tank);
std::vector<Overlay> overlays_of(std::span<const BuiltObject> objects, const Grid& tank);
SceneObject built_object(const BuiltObject& object, const Grid& tank);
// Whether these are slits without wall between them.
bool are_merged(const BuiltObject& slits);

// The action that adds an object of this kind about a point, in fractions of the tank. Sizes suit the tank. A source
// oscillates like `like`, or, if that is null, with twelve wavelengths in the tank.
Action placed_object(const std::string& kind, double x, double y, const Grid& tank, const Parameters& parameters,
                     const Source* like);

// Number of values of a saved object: id, index of its kind, and its numbers in the order of the kind's fields.
constexpr int built_columns = 9;
// Saves "objects" [count, built_columns], if there are any.
void save_built(std::span<const BuiltObject> objects, State& state);
// Throws InputError if the state's table is not valid.
std::vector<BuiltObject> read_built(const State& state);

}  // namespace perturb::wave
