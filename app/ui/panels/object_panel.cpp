#include "app/ui/panels/object_panel.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/i18n/language.h"
#include "app/run/mark_style.h"
#include "app/ui/panels/drawer.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/slider_scale.h"
#include "app/ui/widgets/value_row.h"

namespace perturb {

namespace {

// Whether dragging the object itself changes this number.
bool is_position(const SceneObject& object, const std::string& number) {
  if (object.handles.empty()) return false;
  const std::vector<ObjectHandle::Effect>& effects = object.handles.front().effects;
  return std::any_of(effects.begin(), effects.end(),
                     [&](const ObjectHandle::Effect& effect) { return effect.number == number; });
}

}  // namespace

void draw_selected_object(const Panel& panel, bool with_heading) {
  const Style& style = panel.style;
  const SceneObject* selected = panel.session.object_controller().selected();
  if (!selected) return;
  const SceneObject& object = *selected;
  const ActionKind* kind = find_kind(panel.run().info->actions, object.kind);
  if (!kind) return;
  if (with_heading) {
    // Without the space above a heading: three sliders are visible in a window 720 pixels high.
    ImGui::PushFont(style.strong);
    ImGui::PushStyleColor(ImGuiCol_Text, color::dim);
    ImGui::TextUnformatted(tr(name_of(object, panel.run())).c_str());
    ImGui::PopStyleColor();
    ImGui::PopFont();
  }
  const bool is_open = panel.session.lessons().objects_are_open();
  for (const bool position : {false, true})
    for (const ValueInfo& field : kind->fields) {
      const auto number = object.numbers.find(field.id);
      if (number == object.numbers.end() || is_position(object, field.id) != position) continue;
      ValueRow row;
      row.key = "object/" + std::to_string(object.id) + "/" + field.id;
      row.value = number->second;
      row.default_value = panel.session.object_controller().original_of(object, field.id);
      row.enabled = is_open;
      row.typed = &field;
      if (const auto value = panel.value_row(useful_range(field, row.default_value, row.value), row))
        panel.ask(ChangeObject{object.id, field.id, *value});
    }
  if (object.is_permanent) return;
  if (!is_open) ImGui::BeginDisabled();
  if (text_button(style, "Remove", false)) panel.ask(RemoveObject{object.id});
  if (!is_open) ImGui::EndDisabled();
  tooltip(style, "Remove  (Del)");
}

void draw_object_list(const Panel& panel) {
  const std::vector<SceneObject>& objects = panel.run().objects;
  const Style& style = panel.style;
  if (objects.empty()) return;
  heading(style, "Objects");
  const SceneObject* selected = panel.session.object_controller().selected();
  // As many per row as their names allow.
  const float available = ImGui::GetContentRegionAvail().x, gap = style.px(4);
  float widest = 0;
  for (const SceneObject& object : objects)
    widest = std::max(widest, text_size(name_of(object, panel.run())).x + style.px(20));
  const int max_columns = std::min(4, static_cast<int>(objects.size()));
  const int columns = std::clamp(static_cast<int>((available + gap) / (widest + gap)), 1, max_columns);
  const float width = std::floor((available - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  ImDrawList* list = ImGui::GetWindowDrawList();
  int index = 0;
  for (const SceneObject& object : objects) {
    if (index++ % columns != 0) ImGui::SameLine(0, gap);
    ImGui::PushID(object.id);
    const ImVec2 at = ImGui::GetCursorScreenPos(), to(at.x + width, at.y + style.row());
    const bool on = &object == selected;
    if (press_area("##object", ImVec2(width, style.row()))) panel.ask(SelectObject{on ? 0 : object.id});
    list->AddRectFilled(at, to,
                        on                       ? color::accent
                        : ImGui::IsItemHovered() ? color::hovered
                                                 : color::raised,
                        style.px(5));
    draw_text_in(list, ImVec2(at.x + style.px(6), at.y), ImVec2(to.x - style.px(6), to.y),
                 on ? color::on_accent : color::text, name_of(object, panel.run()), 0.5f);
    tooltip(style, "Select it, then change it here or drag its handles in the view.");
    ImGui::PopID();
  }
}

void draw_add_object(const Panel& panel) {
  const std::vector<std::string>& kinds = panel.run().placeable;
  if (kinds.empty() || !panel.session.lessons().objects_are_open()) return;
  const Style& style = panel.style;
  const auto label_of = [&](const std::string& id) {
    const ActionKind* kind = find_kind(panel.run().info->actions, id);
    return kind ? Message(kind->label) : Message::value(id);
  };
  const Message label = kinds.size() == 1 ? Message("Add: {}", label_of(kinds.front())) : Message("Add an object");
  const ImVec2 next = ImGui::GetCursorScreenPos(), size(text_size(label).x, ImGui::GetTextLineHeight());
  const ImVec2 from(std::round(next.x + ImGui::GetContentRegionAvail().x - size.x),
                    next.y - ImGui::GetStyle().ItemSpacing.y - size.y);
  ImGui::SetCursorScreenPos(from);
  if (press_area("##add-object", size)) {
    if (kinds.size() == 1)
      panel.ask(AddObject{kinds.front()});
    else
      ImGui::OpenPopup("##add");
  }
  const bool is_hovered = ImGui::IsItemHovered() || ImGui::IsItemFocused();
  draw_text_in(ImGui::GetWindowDrawList(), from, ImVec2(from.x + size.x + 1, from.y + size.y),
               is_hovered ? color::accent_bright : color::accent, label);
  tooltip(style, "Adds an object in the middle of the view.");
  if (ImGui::BeginPopup("##add")) {
    for (const std::string& kind : kinds) {
      ImGui::PushID(kind.c_str());
      if (list_line(tr(label_of(kind)).c_str(), false)) panel.ask(AddObject{kind});
      ImGui::PopID();
    }
    ImGui::EndPopup();
  }
  ImGui::SetCursorScreenPos(next);
}

namespace {

Message shown_text(const Panel& panel, const ValueInfo& field, double value) {
  const DisplayUnit unit = field.kind == ValueKind::real ? panel.shown_unit(field.unit, field.id) : DisplayUnit{};
  return value_text(in_display_unit(field, unit), value * unit.factor);
}

// The numbers that a handle changes, with their values in displayed units: "Width: 12 cells". One that changes more
// than two has only its label.
Message text_of(const Panel& panel, const SceneObject& object, const ObjectHandle& handle, const ActionKind& kind) {
  std::vector<std::string> ids;
  for (const ObjectHandle::Effect& effect : handle.effects) ids.push_back(effect.number);
  if (!handle.angle.empty()) ids.push_back(handle.angle);
  std::vector<Message> values;
  for (const std::string& id : ids)
    for (const ValueInfo& field : kind.fields)
      if (const auto number = object.numbers.find(id); field.id == id && number != object.numbers.end())
        values.push_back(shown_text(panel, field, number->second));
  const Message label(handle.label);
  if (values.size() == 1) return {"{}: {}", label, values[0]};
  if (values.size() == 2) return {"{}: {}, {}", label, values[0], values[1]};
  return label;
}

struct ObjectPainter {
  const Panel& panel;
  ImDrawList* list;
  Rect view_rect;

  ImVec2 on_screen(double x, double y) const {
    const DomainSize domain = panel.session.domain();
    const Camera::Point at = domain_to_screen({x, y}, panel.layout.pointer_frame(), panel.session.view().camera(),
                                              domain.width, domain.height, panel.session.view().quantity().has_depth);
    return ImVec2(static_cast<float>(at.x), static_cast<float>(at.y));
  }
  // A dark line below a light one: visible on any colour.
  void outline(const SceneObject& object) const {
    std::vector<ImVec2> points;
    const auto draw_part = [&] {
      const int count = static_cast<int>(points.size());
      list->AddPolyline(points.data(), count, knob_shade, 0, panel.style.px(4));
      list->AddPolyline(points.data(), count, color::accent_bright, 0, panel.style.px(2));
      points.clear();
    };
    for (const CurvePoint& point : object.outline)
      if (std::isfinite(point.x))
        points.push_back(on_screen(point.x, point.y));
      else
        draw_part();
    draw_part();
  }
  // The first handle moves the object: a disc. The others are squares, those that turn it rings.
  void handle(const ObjectHandle& handle, bool is_first, bool held, bool of_selected) const {
    const ImVec2 at = on_screen(handle.x, handle.y);
    const float radius = panel.style.px(held ? 7 : 5), edge = panel.style.px(1.5f);
    const ImU32 ink = of_selected ? color::accent_bright : knob_ink;
    const auto square = [&](float half, ImU32 fill) {
      list->AddRectFilled(ImVec2(at.x - half, at.y - half), ImVec2(at.x + half, at.y + half), fill, edge);
    };
    if (is_first || !handle.angle.empty()) {
      list->AddCircleFilled(at, radius + 2 * edge, knob_shade);
      list->AddCircleFilled(at, radius + edge, knob_ink);
      list->AddCircleFilled(at, radius - edge, is_first ? ink : knob_shade);
    } else {
      square(radius + edge, knob_shade);
      square(radius, knob_ink);
      square(radius - edge, ink);
    }
  }
  void label(const ObjectHandle& handle, const Message& text) const {
    const float pad = panel.style.px(5);
    const std::string words = wrap_text(text, static_cast<float>(view_rect.width) - 4 * pad);
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    const auto left = static_cast<float>(view_rect.x), top = static_cast<float>(view_rect.y);
    const float right = left + static_cast<float>(view_rect.width), bottom = top + static_cast<float>(view_rect.height);
    ImVec2 at = on_screen(handle.x, handle.y);
    at.x += panel.style.px(14);
    at.y += panel.style.px(10);
    // Next to the handle, but always within the view.
    at.x = std::round(std::clamp(at.x, left + pad, std::max(left + pad, right - size.x - 3 * pad)));
    at.y = std::round(std::clamp(at.y, top + pad, std::max(top + pad, bottom - size.y - 3 * pad)));
    list->AddRectFilled(at, ImVec2(at.x + size.x + 2 * pad, at.y + size.y + 2 * pad), color::overlay_fill,
                        panel.style.px(4));
    list->AddText(ImVec2(at.x + pad, at.y + pad), color::text, words.c_str());
  }
};

}  // namespace

void draw_objects(const Panel& panel) {
  const Session& session = panel.session;
  const std::vector<SceneObject>& objects = panel.run().objects;
  if (objects.empty()) return;
  const ObjectController& controller = session.object_controller();
  const GestureRecognizer& pointer = session.tools().gestures();
  const SceneObject* selected = controller.selected();
  const bool shows_all = pointer.over_picture() || session.input().crosshair().position();
  if (!shows_all && !selected) return;
  // The object that a press would grab, or that is being dragged.
  std::optional<ObjectSelection> held;
  if (controller.is_dragging())
    held = controller.selection();
  else if (pointer.over_picture() && !pointer.is_active())
    held = controller.handle_at(pointer.x(), pointer.y(), panel.layout);

  const Rect view_rect = visible_first_lane_rect(panel);
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  const ObjectPainter in{panel, list, view_rect};
  list->PushClipRect(
      ImVec2(static_cast<float>(view_rect.x), static_cast<float>(view_rect.y)),
      ImVec2(static_cast<float>(view_rect.x + view_rect.width), static_cast<float>(view_rect.y + view_rect.height)));
  for (const SceneObject& object : objects)
    if (shows_all && &object != selected && !object.handles.empty())
      in.handle(object.handles.front(), true, held == ObjectSelection{object.id, 0}, false);
  if (selected) {
    in.outline(*selected);
    for (std::size_t k = selected->handles.size(); k-- > 0;)
      in.handle(selected->handles[k], k == 0, held == ObjectSelection{selected->id, k}, true);
  }
  const SceneObject* labelled = held ? find_object(objects, held->object) : nullptr;
  const ActionKind* kind = labelled ? find_kind(session.info().actions, labelled->kind) : nullptr;
  if (kind && held->handle < labelled->handles.size()) {
    const ObjectHandle& handle = labelled->handles[held->handle];
    const Message text = text_of(panel, *labelled, handle, *kind);
    in.label(handle, held->handle == 0 ? stacked(name_of(*labelled, panel.run()), text) : text);
  }
  list->PopClipRect();
}

}  // namespace perturb
