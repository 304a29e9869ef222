// The panels laid out without a screen, to learn where things are in a real window of the same layout: a place is
// searched by clicking until what is wanted happens, so that no test knows how a panel is built.
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

  // How to choose an entry of a row's list, all at one x of the screen: the wheel, so many notches down; a click on the
  // row; a click on the entry.
  struct Way {
    int notches = 0;
    double x = 0, wheel = 0, row = 0, entry = 0;
  };
  // A way to an entry of the row that is called so, after which `reached` holds for the session, each tried on a scene
  // just opened; none: there is no such entry.
  std::optional<Way> search(const std::string& row, const std::function<bool(const Session&)>& reached);

  // Where a double click on a slider's row lets a value of the parameter be typed, by y; none: not in sight.
  std::optional<double> row_to_type(const std::string& parameter, double x);
  // Where, down a line at `x`, a click makes `reached` hold, after these clicks on a scene just opened; none: nowhere.
  std::optional<Camera::Point> search_click(const std::vector<Camera::Point>& before, double x,
                                            const std::function<bool(const Session&)>& reached);

  // As it is after the search's last click.
  const Session& session() const { return *session_; }
  // Boxes around the letters that the last frame drew in this colour.
  std::vector<Rect> letters(ImU32 color) const;

 private:
  void open();
  void frame(double x, double y, bool down = false, float wheel = 0);
  void click(double x, double y);

  Scene scene_;
  Layout layout_;
  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Gui gui_{Gui::Renderer::none};
  std::unique_ptr<Experiment> experiment_;
  std::unique_ptr<Session> session_;
  bool list_is_open_ = false;
};

}  // namespace perturb
