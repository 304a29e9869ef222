// A build without libqrencode.
#include "app/serve/qr/qr_code.h"

namespace perturb {

std::optional<QrCode> QrCode::make(const std::string&) { return std::nullopt; }

}  // namespace perturb
