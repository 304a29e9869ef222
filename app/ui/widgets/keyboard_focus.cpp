#include "app/ui/widgets/keyboard_focus.h"

#include <algorithm>
#include <utility>

#include <imgui_internal.h>

#include "app/ui/widgets/fonts.h"

namespace perturb {

void TabOrder::begin_pass(int moves) {
  order_.swap(laid_out_);
  laid_out_.clear();
  previous_dialog_ = std::exchange(dialog_, 0);
  requested_ = 0;
  captured_ = std::exchange(captures_, false);
  if (moves == 0 || order_.empty()) return;
  const Level top = std::max_element(order_.begin(), order_.end(), [](const Stop& a, const Stop& b) {
                      return a.level < b.level;
                    })->level;
  std::erase_if(order_, [&](const Stop& stop) { return stop.level != top; });
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const auto here = std::find_if(order_.begin(), order_.end(), [&](const Stop& stop) { return stop.id == g.NavId; });
  const auto count = static_cast<int>(order_.size());
  // From no focus to the first item, or backwards to the last.
  const int from = here != order_.end() ? static_cast<int>(here - order_.begin()) : moves > 0 ? -1 : count;
  requested_ = order_[static_cast<std::size_t>(((from + moves) % count + count) % count)].id;
  // Ends text input: the field keeps or discards its text, as its owner decides.
  if (g.ActiveId != 0) ImGui::ClearActiveID();
}

void TabOrder::add_last_item() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const ImGuiID id = g.LastItemData.ID;
  if (id == 0 || (g.CurrentItemFlags & ImGuiItemFlags_Disabled)) return;
  if (g.CurrentWindow->Flags & ImGuiWindowFlags_NoNavFocus) return;  // a text line without keyboard navigation
  const ImGuiWindow* root = g.CurrentWindow->RootWindow;
  const Level level = (root->Flags & ImGuiWindowFlags_Popup) ? Level::list
                      : root->ID == dialog_                  ? Level::dialog
                                                             : Level::panels;
  laid_out_.push_back({id, level});
  if (!focuses_next_ && id != requested_) return;
  focuses_next_ = false;
  requested_ = 0;
  focus_last_item();
}

void focus_last_item() {
  ImGuiWindow* window = ImGui::GetCurrentContext()->CurrentWindow;
  ImGui::FocusWindow(window);
  ImGui::SetFocusID(ImGui::GetCurrentContext()->LastItemData.ID, window);
  show_focus();
  ImGui::ScrollToItem(ImGuiScrollFlags_KeepVisibleEdgeY);
}

void TabOrder::mark_dialog() { dialog_ = ImGui::GetCurrentContext()->CurrentWindow->RootWindow->ID; }

bool TabOrder::is_behind_dialog() const {
  const ImGuiWindow* root = ImGui::GetCurrentContext()->CurrentWindow->RootWindow;
  const ImGuiID dialog = dialog_ != 0 ? dialog_ : previous_dialog_;
  return dialog != 0 && root->ID != dialog && !(root->Flags & ImGuiWindowFlags_Popup);
}

bool TabOrder::is_in_dialog() const {
  return dialog_ != 0 && ImGui::GetCurrentContext()->CurrentWindow->RootWindow->ID == dialog_;
}

TabOrder::Arrows TabOrder::capture_arrows() {
  captures_ = true;
  return std::exchange(arrows_, {});
}

void TabOrder::add_arrow_press(int right, int up, bool finely) {
  arrows_.right += right;
  arrows_.up += up;
  arrows_.finely = finely;
}

namespace {
#if IMGUI_VERSION_NUM >= 18700
constexpr auto keypad_enter = ImGuiKey_KeypadEnter;
#else
constexpr auto keypad_enter = ImGuiKey_KeyPadEnter;
#endif
TabOrder* order_of_context() { return static_cast<TabOrder*>(ImGui::GetIO().UserData); }
}  // namespace

void tab_mark_dialog() {
  if (TabOrder* order = order_of_context()) order->mark_dialog();
}

bool is_behind_dialog() {
  const TabOrder* order = order_of_context();
  return order && order->is_behind_dialog();
}

bool enter_confirms_dialog() {
  const TabOrder* order = order_of_context();
  // The focused item gets Enter as ImGui's Space (Gui), and a text field uses Enter itself.
  if (!order || !order->is_in_dialog() || ImGui::GetIO().WantTextInput) return false;
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Enter), false) ||
         ImGui::IsKeyPressed(ImGui::GetKeyIndex(keypad_enter), false);
}

void set_default_focus() {
  const TabOrder* order = order_of_context();
  if (order && order->is_in_dialog()) ImGui::SetItemDefaultFocus();
}

void type_in_next_item() {
#if IMGUI_VERSION_NUM >= 19000
  // Dear ImGui only finds the item in the focus scope of the previous focus, which may be in another window.
  ImGuiContext& g = *ImGui::GetCurrentContext();
  g.NavFocusScopeId = g.CurrentFocusScopeId;
#endif
  ImGui::SetKeyboardFocusHere();
}

void tab_begin_pass(int moves) {
  if (TabOrder* order = order_of_context()) order->begin_pass(moves);
}

void focus_next_item() {
  if (TabOrder* order = order_of_context()) order->focus_next();
}

TabOrder::Arrows capture_arrows() {
  TabOrder* order = order_of_context();
  return order ? order->capture_arrows() : TabOrder::Arrows{};
}

void add_tab_stop() {
  if (TabOrder* order = order_of_context()) order->add_last_item();
}

bool press_area(const char* id, ImVec2 size) {
  // Without space a side may be 0, on which Dear ImGui asserts, or negative, which it interprets as a distance from the
  // opposite edge.
  const bool pressed = ImGui::InvisibleButton(id, ImVec2(std::max(1.f, size.x), std::max(1.f, size.y)));
  add_tab_stop();
  return pressed;
}

bool list_line(const char* label, bool chosen, ImVec2 size) {
  request_glyphs(label);
  const bool pressed = ImGui::Selectable(label, chosen, 0, size);
  add_tab_stop();
  return pressed;
}

bool begin_list(const char* id, ImGuiComboFlags flags) {
  const bool open = ImGui::BeginCombo(id, "", flags);
  if (!open) add_tab_stop();
  return open;
}

bool text_field(const char* id, const char* hint, char* text, std::size_t size, ImGuiInputTextFlags flags) {
  request_glyphs(text);
  const bool entered = ImGui::InputTextWithHint(id, hint, text, size, flags);
  add_tab_stop();
  return entered;
}

bool focus_is_shown() {
#if IMGUI_VERSION_NUM >= 19140
  return ImGui::GetCurrentContext()->NavCursorVisible;
#else
  return !ImGui::GetCurrentContext()->NavDisableHighlight;
#endif
}

void show_focus() {
#if IMGUI_VERSION_NUM >= 19140
  ImGui::GetCurrentContext()->NavCursorVisible = true;
#else
  ImGui::GetCurrentContext()->NavDisableHighlight = false;
#endif
}

void draw_focus_ring(const Style& style) {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  ImGuiWindow* window = g.NavWindow;
  if (!window || g.NavId == 0 || !focus_is_shown() || !window->Active) return;
  if (!g.NavIdIsAlive) return;  // its owner is gone: another lesson step, another tab
  if (window->NavRectRel[g.NavLayer].IsInverted()) return;
  ImRect box = ImGui::WindowRectRelToAbs(window, window->NavRectRel[g.NavLayer]);
  const float out = style.px(2);
  box.Expand(out);
  ImDrawList* list = ImGui::GetForegroundDrawList();
  // No ring around an item that is scrolled out of view.
  list->PushClipRect(ImVec2(window->OuterRectClipped.Min.x - out, window->OuterRectClipped.Min.y - out),
                     ImVec2(window->OuterRectClipped.Max.x + out, window->OuterRectClipped.Max.y + out));
  list->AddRect(box.Min, box.Max, color::background, style.px(5), 0, style.px(4));
  list->AddRect(box.Min, box.Max, color::accent_bright, style.px(5), 0, style.px(2));
  list->PopClipRect();
}

}  // namespace perturb
