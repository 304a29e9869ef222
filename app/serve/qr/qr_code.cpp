#include "app/serve/qr/qr_code.h"

#include <cstddef>
#include <memory>

#include <qrencode.h>

namespace perturb {

std::optional<QrCode> QrCode::make(const std::string& text) {
  const std::unique_ptr<QRcode, decltype(&QRcode_free)> made(QRcode_encodeString8bit(text.c_str(), 0, QR_ECLEVEL_M),
                                                             &QRcode_free);
  if (!made) return std::nullopt;
  std::vector<bool> dark(static_cast<std::size_t>(made->width * made->width));
  for (std::size_t k = 0; k < dark.size(); ++k) dark[k] = (made->data[k] & 1) != 0;
  return QrCode(made->width, std::move(dark));
}

}  // namespace perturb
