#include "app/io/preset/scene_reader.h"

#include <algorithm>
#include <cmath>

#include "app/io/files/relative_path.h"
#include "app/io/image/image.h"
#include "app/io/preset/quotes.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/layer.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

// The path of an image that a file names. It must be in the file's folder or a subfolder, so that a preset from another
// source cannot select other files of the user.
std::string image_beside(const TableReader& reader, const toml::node& node, const std::string& image) {
  if (const std::string path = resolve_relative_path(reader.name(), image); !path.empty()) return path;
  reader.fail(node, "The image " + in_quotes(image) +
                        " lies outside of this file's folder: copy it beside the file, and name it from there.");
}

void read_camera(TableReader& reader, Camera& camera) {
  if (const toml::array* center = reader.pair("center", "[0.5, 0.5]")) {
    camera.center_x = reader.number(*center->get(0), "center"),
    camera.center_y = reader.number(*center->get(1), "center");
    if (!is_camera_center(camera.center_x) || !is_camera_center(camera.center_y))
      reader.fail(*center, "center is a point of the domain in fractions of it, such as center = [0.5, 0.5].");
  }
  if (const toml::node* zoom = reader.find("zoom")) {
    camera.zoom = reader.number(*zoom, "zoom");
    if (!(camera.zoom >= min_zoom && camera.zoom <= max_zoom))
      reader.fail(*zoom, "zoom must be from " + format_number(min_zoom) + " to " + format_number(max_zoom) + ".");
  }
  if (const toml::array* orbit = reader.pair("orbit", "[30, 20]")) {
    const double yaw = reader.number(*orbit->get(0), "orbit"), pitch = reader.number(*orbit->get(1), "orbit");
    if (!(std::abs(yaw) <= 360 && std::abs(pitch) <= 90))
      reader.fail(*orbit, "orbit is two angles in degrees, around (-360 to 360) and above (-90 to 90).");
    camera.yaw = yaw * radians_per_degree, camera.pitch = pitch * radians_per_degree;
  }
}

LayerSettings read_layer(const toml::table& table, const std::string& name, const SimulationInfo& info,
                         const ViewSettings& view) {
  TableReader reader(table, name);
  LayerSettings layer;
  layer.quantity = reader.text("quantity", "");
  if (layer.quantity.empty()) reader.fail("a layer needs its quantity, such as layer = { quantity = \"dye\" }.");
  const std::string as = reader.text("as", "lines");
  if (as != "lines" && as != "colors") reader.fail(*reader.find("as"), "as is \"lines\" or \"colors\".");
  layer.as_lines = as == "lines";
  if (const toml::node* lines = reader.find("lines"))
    layer.lines = static_cast<int>(reader.integer(*lines, "lines", 1, LayerSettings::max_lines));
  if (const toml::array* range = reader.pair("range", "[-1, 1]")) {
    layer.minimum = reader.number(*range->get(0), "range"), layer.maximum = reader.number(*range->get(1), "range");
    if (!std::isfinite(layer.minimum) || !std::isfinite(layer.maximum) || !(layer.minimum < layer.maximum))
      reader.fail(*range, "range must go from a smaller number to a larger one.");
  }
  reader.finish();
  ViewSettings with = view;
  with.layer = layer;
  std::string failure;
  try {
    failure = layer_error(info, with);
  } catch (const InputError& error) {
    failure = error.what();
  }
  if (!failure.empty()) reader.fail(*reader.find("quantity"), failure);
  return layer;
}

}  // namespace

Action read_action(TableReader& reader, const toml::node& kind_node, const std::string& kind_id,
                   const SimulationInfo& info) {
  const ActionKind* kind = nullptr;
  std::vector<std::string> kinds;
  for (const ActionKind& k : info.actions) {
    kinds.push_back(k.id);
    if (k.id == kind_id) kind = &k;
  }
  if (!kind)
    reader.fail(kind_node,
                "There is no action " + in_quotes(kind_id) + " in " + info.id + did_you_mean(kind_id, kinds));
  Action action;
  action.kind = kind_id;
  for (const ValueInfo& field : kind->fields)
    for (const std::string& id : {field.former, field.id})
      if (const toml::node* node = id.empty() ? nullptr : reader.find(id))
        action.numbers[field.id] = reader.value(*node, field);
  if (kind->takes_image) {
    action.file = reader.text("image", "");
    if (!action.file.empty()) {
      const std::string image = image_beside(reader, *reader.find("image"), action.file);
      try {
        action.image = load_grey_image(image);
      } catch (const InputError& error) {
        reader.fail(*reader.find("image"), error.what());
      }
    }
  }
  reader.finish();
  try {
    check_action(action, info.actions);
  } catch (const InputError& error) {
    reader.fail(error.what());
  }
  return action;
}

void read_view(const toml::table& table, const std::string& name, const SimulationInfo& info, ViewSettings& view,
               Camera& camera) {
  TableReader reader(table, name);
  view.quantity = reader.text("quantity", "");
  std::vector<std::string> quantities;
  for (const Quantity& q : info.quantities) quantities.push_back(q.id);
  if (!view.quantity.empty() && std::find(quantities.begin(), quantities.end(), view.quantity) == quantities.end())
    reader.fail(*reader.find("quantity"), "There is no quantity " + in_quotes(view.quantity) + " in " + info.id +
                                              did_you_mean(view.quantity, quantities));
  view.colormap = reader.text("colormap", "");
  if (!view.colormap.empty()) {
    try {
      find_colormap(view.colormap);
    } catch (const InputError& error) {
      reader.fail(*reader.find("colormap"), error.what());
    }
  }
  if (const toml::array* range = reader.pair("range", "[-1, 1]")) {
    view.minimum = reader.number(*range->get(0), "range");
    view.maximum = reader.number(*range->get(1), "range");
    if (!std::isfinite(view.minimum) || !std::isfinite(view.maximum) || !(view.minimum < view.maximum))
      reader.fail(*range, "range must go from a smaller number to a larger one.");
  }
  view.automatic = reader.boolean("automatic", view.automatic);
  view.smooth = reader.boolean("smooth", view.smooth);
  if (const toml::table* layer = reader.subtable("layer")) view.layer = read_layer(*layer, name, info, view);
  read_camera(reader, camera);
  reader.finish();
}

}  // namespace perturb
