// All panels and overlays of the window.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/panels/panel.h"
#include "app/ui/panels/panel_states.h"
#include "app/ui/panels/share_box.h"

namespace perturb {

class Panels {
 public:
  // Draws everything over the view, and posts the commands of the user to the session. Call between Gui::begin_frame
  // and end_frame.
  void draw(Session& session, const Style& style, const Layout& layout, const DisplayInfo& display,
            ThumbnailTextures* thumbnails = nullptr);
  // Invites visitors at the bottom of the view (kiosk); empty: no invitation.
  void set_invitation(const std::string& words) { invitation_ = words; }

  // In the corner of the view while the run is shared.
  void set_share(std::optional<ShownShare> share) { share_ = std::move(share); }

  // Facts about the last pass for the session's input.
  const PanelFeedback& feedback() const { return feedback_; }
  const PanelStates& states() const { return states_; }
  const ValueRows& rows() const { return rows_; }
  // Of an earlier session.
  void place_color_bar(double across, double down) { states_.color_bar = {across, down}; }
  // Both are drawn once the user has enabled them.
  void open_kernel_editor() { states_.kernel_editor.open = true; }
  void open_puzzles() { states_.puzzle_card.open = true; }
  // The arguments of every panel. All must outlive the result.
  Panel arguments(const Session& session, const Style& style, const Layout& layout, const DisplayInfo& display,
                  ThumbnailTextures* thumbnails = nullptr) {
    return {session, style, layout, display, states_, rows_, feedback_.areas, commands_, thumbnails};
  }

 private:
  // Everything that is drawn while the browser is closed.
  void draw_view_and_panels(const Panel& panel);
  void draw_column(const Panel& panel);
  void draw_open_tab(const Panel& panel);
  // The dialog over everything else, if one is open.
  void draw_open_dialog(const Panel& panel);

  PanelStates states_;
  ValueRows rows_;
  PanelFeedback feedback_;
  std::vector<Command> commands_;
  std::string invitation_;
  std::optional<ShownShare> share_;
  int scenes_ = 0;           // Session::scenes() of the last pass
  bool had_dialog_ = false;  // in the last pass
};

}  // namespace perturb
