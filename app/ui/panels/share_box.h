// The box over a view that is shared with browsers.
#pragma once

#include <optional>
#include <string>

#include "app/serve/qr/qr_code.h"
#include "app/ui/panels/panel.h"

namespace perturb {

// How others join the run of this window, and how many have.
struct ShownShare {
  std::string link, code;
  bool has_network = true;  // otherwise only browsers of this machine can join
  std::optional<QrCode> qr;
  int people = 0;  // connected
};

// In the upper right corner of the view: QR code, address, code, people and a button that stops sharing.
void draw_share_box(const Panel& panel, const ShownShare& share);

}  // namespace perturb
