#include "app/ui/widgets/palette.h"

#include <algorithm>
#include <iterator>

namespace perturb {

namespace {

constexpr Palette dark_palette = {
    .background = IM_COL32(14, 17, 21, 255),
    .panel = IM_COL32(22, 26, 32, 255),
    .popup = IM_COL32(28, 33, 40, 252),
    .dialog = IM_COL32(24, 29, 35, 255),
    .raised = IM_COL32(33, 39, 47, 255),
    .hovered = IM_COL32(43, 51, 61, 255),
    .pressed = IM_COL32(52, 62, 74, 255),
    .chosen = IM_COL32(56, 68, 82, 255),
    .bar = IM_COL32(64, 75, 88, 255),
    .line = IM_COL32(41, 48, 57, 255),
    .text = IM_COL32(230, 234, 240, 255),
    .dim = IM_COL32(158, 168, 181, 255),
    .faint = IM_COL32(110, 121, 135, 255),
    .accent = IM_COL32(88, 178, 226, 255),
    .accent_fill = IM_COL32(88, 178, 226, 58),
    .accent_bright = IM_COL32(140, 206, 243, 255),
    .accent_dim = IM_COL32(88, 178, 226, 150),
    .on_accent = IM_COL32(8, 20, 28, 255),
    .good = IM_COL32(104, 190, 132, 255),
    .warning = IM_COL32(231, 182, 92, 255),
    .bad = IM_COL32(233, 110, 98, 255),
    .overlay_fill = IM_COL32(14, 17, 21, 205),
    .backdrop = IM_COL32(6, 8, 10, 120),
    .outside_domain = IM_COL32(22, 24, 28, 255),
    .inks = {IM_COL32(88, 178, 226, 255), IM_COL32(236, 190, 108, 255), IM_COL32(180, 150, 232, 255),
             IM_COL32(122, 200, 150, 255), IM_COL32(235, 130, 120, 255), IM_COL32(214, 220, 228, 255),
             IM_COL32(96, 128, 214, 255), IM_COL32(150, 140, 90, 255)}};

// For a projector in a bright room.
constexpr Palette light_palette = {
    .background = IM_COL32(226, 229, 233, 255),
    .panel = IM_COL32(246, 247, 249, 255),
    .popup = IM_COL32(255, 255, 255, 252),
    .dialog = IM_COL32(252, 252, 253, 255),
    .raised = IM_COL32(228, 232, 237, 255),
    .hovered = IM_COL32(213, 219, 227, 255),
    .pressed = IM_COL32(198, 206, 216, 255),
    .chosen = IM_COL32(255, 255, 255, 255),
    .bar = IM_COL32(164, 174, 186, 255),
    .line = IM_COL32(200, 206, 214, 255),
    .text = IM_COL32(22, 27, 34, 255),
    .dim = IM_COL32(72, 82, 95, 255),
    .faint = IM_COL32(108, 119, 132, 255),
    .accent = IM_COL32(0, 103, 163, 255),
    .accent_fill = IM_COL32(0, 103, 163, 52),
    .accent_bright = IM_COL32(0, 82, 134, 255),
    .accent_dim = IM_COL32(0, 103, 163, 170),
    .on_accent = IM_COL32(255, 255, 255, 255),
    .good = IM_COL32(24, 120, 62, 255),
    .warning = IM_COL32(138, 84, 0, 255),
    .bad = IM_COL32(182, 32, 28, 255),
    .overlay_fill = IM_COL32(250, 251, 252, 225),
    .backdrop = IM_COL32(40, 46, 54, 110),
    .outside_domain = IM_COL32(208, 212, 218, 255),
    .inks = {IM_COL32(0, 103, 163, 255), IM_COL32(170, 96, 0, 255), IM_COL32(116, 68, 190, 255),
             IM_COL32(30, 120, 70, 255), IM_COL32(190, 50, 45, 255), IM_COL32(40, 48, 58, 255),
             IM_COL32(70, 130, 220, 255), IM_COL32(128, 116, 40, 255)}};

constexpr Palette contrast_palette = {
    .background = IM_COL32(0, 0, 0, 255),
    .panel = IM_COL32(0, 0, 0, 255),
    .popup = IM_COL32(0, 0, 0, 255),
    .dialog = IM_COL32(0, 0, 0, 255),
    .raised = IM_COL32(38, 38, 38, 255),
    .hovered = IM_COL32(64, 64, 64, 255),
    .pressed = IM_COL32(84, 84, 84, 255),
    .chosen = IM_COL32(92, 92, 92, 255),
    .bar = IM_COL32(130, 130, 130, 255),
    .line = IM_COL32(170, 170, 170, 255),
    .text = IM_COL32(255, 255, 255, 255),
    .dim = IM_COL32(232, 232, 232, 255),
    .faint = IM_COL32(190, 190, 190, 255),
    .accent = IM_COL32(255, 221, 0, 255),
    .accent_fill = IM_COL32(255, 221, 0, 72),
    .accent_bright = IM_COL32(255, 240, 130, 255),
    .accent_dim = IM_COL32(255, 221, 0, 200),
    .on_accent = IM_COL32(0, 0, 0, 255),
    .good = IM_COL32(90, 230, 140, 255),
    .warning = IM_COL32(255, 190, 70, 255),
    .bad = IM_COL32(255, 140, 130, 255),
    .overlay_fill = IM_COL32(0, 0, 0, 240),
    .backdrop = IM_COL32(0, 0, 0, 170),
    .outside_domain = IM_COL32(0, 0, 0, 255),
    .inks = {IM_COL32(255, 221, 0, 255), IM_COL32(120, 200, 255, 255), IM_COL32(255, 255, 255, 255),
             IM_COL32(90, 230, 140, 255), IM_COL32(255, 140, 130, 255), IM_COL32(210, 170, 255, 255),
             IM_COL32(255, 180, 90, 255), IM_COL32(170, 170, 170, 255)}};

}  // namespace

const Palette& palette_of(Theme theme) {
  return theme == Theme::light ? light_palette : theme == Theme::high_contrast ? contrast_palette : dark_palette;
}

namespace color {
ImU32 background = dark_palette.background, panel = dark_palette.panel, popup = dark_palette.popup,
      dialog = dark_palette.dialog, raised = dark_palette.raised, hovered = dark_palette.hovered,
      pressed = dark_palette.pressed, chosen = dark_palette.chosen, bar = dark_palette.bar, line = dark_palette.line,
      text = dark_palette.text, dim = dark_palette.dim, faint = dark_palette.faint, accent = dark_palette.accent,
      accent_fill = dark_palette.accent_fill, accent_bright = dark_palette.accent_bright,
      accent_dim = dark_palette.accent_dim, on_accent = dark_palette.on_accent, good = dark_palette.good,
      warning = dark_palette.warning, bad = dark_palette.bad, overlay_fill = dark_palette.overlay_fill,
      backdrop = dark_palette.backdrop, outside_domain = dark_palette.outside_domain;
ImU32 inks[8] = {dark_palette.inks[0], dark_palette.inks[1], dark_palette.inks[2], dark_palette.inks[3],
                 dark_palette.inks[4], dark_palette.inks[5], dark_palette.inks[6], dark_palette.inks[7]};
}  // namespace color

namespace {
Theme current = Theme::dark;
}

Theme used_theme() { return current; }

void use_theme(Theme theme) {
  current = theme;
  const Palette& p = palette_of(theme);
  color::background = p.background;
  color::panel = p.panel;
  color::popup = p.popup;
  color::dialog = p.dialog;
  color::raised = p.raised;
  color::hovered = p.hovered;
  color::pressed = p.pressed;
  color::chosen = p.chosen;
  color::bar = p.bar;
  color::line = p.line;
  color::text = p.text;
  color::dim = p.dim;
  color::faint = p.faint;
  color::accent = p.accent;
  color::accent_fill = p.accent_fill;
  color::accent_bright = p.accent_bright;
  color::accent_dim = p.accent_dim;
  color::on_accent = p.on_accent;
  color::good = p.good;
  color::warning = p.warning;
  color::bad = p.bad;
  color::overlay_fill = p.overlay_fill;
  color::backdrop = p.backdrop;
  color::outside_domain = p.outside_domain;
  std::copy(std::begin(p.inks), std::end(p.inks), std::begin(color::inks));
}

}  // namespace perturb
