// Lays out the panels without a screen to find positions for a real window of the same layout. It searches a position
// by clicking until the requested effect occurs, so that tests do not depend on the structure of a panel.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run/experiment.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"

namespace perturb {

class LaidOutPanels {
 public:
  LaidOutPanels(const Scene& scene, const Layout& layout);

  // Steps that choose an entry of a row's list, all at one x of the screen: wheel notches down; a click on the row; a
  // click on the entry.
  struct Way {
    int notches = 0;
    double x = 0, wheel = 0, row = 0, entry = 0;
  };
  // The steps to an entry of the row with this name after which `reached` holds for the session, each tried on a newly
  // opened scene; none: there is no such entry.
  std::optional<Way> search(const std::string& row, const std::function<bool(const Session&)>& reached);

  // The y at which a double click on the slider of this parameter opens a text field; none: not visible.
  std::optional<double> row_to_type(const std::string& parameter, double x);
  // The position on a vertical line at `x` where a click makes `reached` hold, after these clicks on a newly opened
  // scene; none: no such position.
  std::optional<Camera::Point> search_click(const std::vector<Camera::Point>& before, double x,
                                            const std::function<bool(const Session&)>& reached);

  // State after the last click of the search.
  const Session& session() const { return *session_; }
  // Bounding boxes of the letters that the last frame drew in this colour.
  std::vector<Rect> letters(ImU32 color) const;

 private:
  void open();
  void frame(double x, double y, bool down = false, float wheel = 0);
  void click(double x, double y);
  bool list_is_open() const { return panels_.feedback().list_open; }

  Scene scene_;
  Layout layout_;
  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Gui gui_{Gui::Renderer::none};
  std::unique_ptr<Experiment> experiment_;
  std::unique_ptr<Session> session_;
  Panels panels_;
};

}  // namespace perturb
