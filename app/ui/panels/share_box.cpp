#include "app/ui/panels/share_box.h"

#include <algorithm>
#include <cmath>

#include "app/i18n/language.h"
#include "app/ui/panels/drawer.h"

namespace perturb {

namespace {

// Black on white in every theme: scanners expect it.
void draw_qr(const QrCode& code, float module) {
  constexpr ImU32 white = IM_COL32(255, 255, 255, 255), black = IM_COL32(0, 0, 0, 255);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float side = module * static_cast<float>(code.size() + 2 * QrCode::quiet);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(from, ImVec2(from.x + side, from.y + side), white);
  for (int y = 0; y < code.size(); ++y)
    for (int x = 0; x < code.size(); ++x) {
      if (!code.is_dark(x, y)) continue;
      const ImVec2 at(from.x + module * static_cast<float>(x + QrCode::quiet),
                      from.y + module * static_cast<float>(y + QrCode::quiet));
      list->AddRectFilled(at, ImVec2(at.x + module, at.y + module), black);
    }
  ImGui::Dummy(ImVec2(side, side));
}

}  // namespace

void draw_share_box(const Panel& panel, const ShownShare& share) {
  const Style& style = panel.style;
  const Rect view = visible_view_rect(panel);
  const float margin = style.px(12), module = std::round(style.px(4));
  // Without the code, which is easier to read alone.
  const std::string address = share.link.substr(0, share.link.find('#'));
  const float code = share.qr ? module * static_cast<float>(share.qr->size() + 2 * QrCode::quiet) : style.px(200);
  const float room = std::max(1.f, static_cast<float>(view.width) - 4 * margin);
  const float width = std::min(room, std::max(code, ImGui::CalcTextSize(address.c_str()).x));
  ImGui::SetNextWindowPos(ImVec2(std::round(static_cast<float>(view.x + view.width) - margin),
                                 std::round(static_cast<float>(view.y) + margin)),
                          ImGuiCond_Always, ImVec2(1, 0));
  ImGui::SetNextWindowSizeConstraints(
      ImVec2(0, 0), ImVec2(static_cast<float>(view.width), static_cast<float>(view.height) - 2 * margin));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(margin, margin));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::popup);
  ImGui::Begin("##share", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  if (share.qr) draw_qr(*share.qr, module);
  ImGui::PushTextWrapPos(margin + width);
  ImGui::TextUnformatted(address.c_str());
  ImGui::PushFont(style.title);
  ImGui::TextUnformatted(tr({"Code: {}", share.code}).c_str());
  ImGui::PopFont();
  if (!share.has_network) ImGui::TextUnformatted(tr("This computer is in no network: nobody else can join.").c_str());
  const Message people =
      share.people == 1 ? Message("1 person is connected.") : Message("{} people are connected.", share.people);
  ImGui::TextUnformatted(tr(people).c_str());
  ImGui::PopTextWrapPos();
  if (text_button(style, "Stop sharing", false)) panel.ask(CommandId::share);
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  panel.areas.add({at.x, at.y, size.x, size.y});
  ImGui::End();
}

}  // namespace perturb
