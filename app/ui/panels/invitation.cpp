#include "app/ui/panels/invitation.h"

#include <algorithm>
#include <cmath>

#include "app/i18n/language.h"
#include "app/ui/widgets/color_bar.h"

namespace perturb {

void draw_invitation(const Panel& panel, const std::string& words) {
  const Style& style = panel.style;
  const Scene& scene = *panel.run().scene;
  const Rect& view_rect = panel.layout.view_rect;
  const Rect bar = floating_color_bar_rect(panel);
  const float pad = style.px(18), margin = style.px(20), gap = style.px(6);
  const double right = bar.width > 0 ? bar.x : view_rect.x + view_rect.width;
  const float room = std::min(style.px(620), static_cast<float>(right - view_rect.x) - 2 * (margin + pad));
  if (room < style.px(140)) return;
  ImGui::PushFont(style.title);
  const std::string title =
      wrap_untranslated(mark_translated((scene.title.empty() ? "" : tr(scene.title) + ".  ") + tr(words)), room);
  const ImVec2 title_size = ImGui::CalcTextSize(title.c_str());
  ImGui::PopFont();
  const std::string hint = wrap_text(scene.hint, room);
  const ImVec2 hint_size = scene.hint.empty() ? ImVec2(0, 0) : ImGui::CalcTextSize(hint.c_str());
  const float between = scene.hint.empty() ? 0 : gap;
  const ImVec2 size(std::max(title_size.x, hint_size.x) + 2 * pad, title_size.y + between + hint_size.y + 2 * pad);
  const ImVec2 from(static_cast<float>(view_rect.x) + margin,
                    static_cast<float>(view_rect.y + view_rect.height) - margin - size.y);
  if (from.y < view_rect.y) return;
  const ImVec2 to(from.x + size.x, from.y + size.y);
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  list->AddRectFilled(from, to, color::overlay_fill, style.px(10));
  ImGui::PushFont(style.title);
  list->AddText(ImVec2(from.x + pad, from.y + pad), color::text, title.c_str());
  ImGui::PopFont();
  if (!scene.hint.empty())
    list->AddText(ImVec2(from.x + pad, from.y + pad + title_size.y + between), color::dim, hint.c_str());
}

}  // namespace perturb
