#include "app/ui/widgets/caption.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "app/ui/widgets/color_bar.h"
#include "cuda/core/paint/layer.h"

namespace perturb {

void draw_caption(const Panel& panel) {
  const Style& style = panel.style;
  const Scene& scene = *panel.run().scene;
  const Rect& view_rect = panel.layout.view_rect;
  const Rect bar = floating_color_bar_rect(panel);
  const float margin = style.px(14), pad = style.px(12);
  const double right = bar.width > 0 ? bar.x : view_rect.x + view_rect.width;
  const float room = static_cast<float>(right - view_rect.x) - 2 * (margin + pad);
  if (room < style.px(120)) return;
  char time[48];
  std::snprintf(time, sizeof time, "t = %.2f", panel.run().time);
  std::string about = panel.session.view().quantity().label + ",  " + time;
  if (const std::string over = describe_layer(*panel.run().info, panel.session.view().resolved()); !over.empty())
    about += "\n" + over;

  ImGui::PushFont(style.title);
  const std::string title = wrap_text(scene.title.empty() ? panel.run().info->title : scene.title, room);
  const ImVec2 title_size = ImGui::CalcTextSize(title.c_str());
  ImGui::PopFont();
  const std::string words = wrap_text(about, room);
  const ImVec2 size = ImGui::CalcTextSize(words.c_str());
  const float width = std::max(title_size.x, size.x), gap = style.px(3);
  const ImVec2 to(static_cast<float>(view_rect.x) + margin + width + 2 * pad,
                  static_cast<float>(view_rect.y + view_rect.height) - margin);
  const ImVec2 from(static_cast<float>(view_rect.x) + margin, to.y - title_size.y - gap - size.y - 2 * pad);
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  list->AddRectFilled(from, to, color::overlay_fill, style.px(6));
  ImGui::PushFont(style.title);
  list->AddText(ImVec2(from.x + pad, from.y + pad), color::text, title.c_str());
  ImGui::PopFont();
  list->AddText(ImVec2(from.x + pad, from.y + pad + title_size.y + gap), color::dim, words.c_str());
}

}  // namespace perturb
