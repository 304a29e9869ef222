// The certificate of a server, for TLS by OpenSSL.
#pragma once

#include <memory>
#include <string>

struct ssl_ctx_st;  // SSL_CTX of OpenSSL

namespace perturb {

struct TlsContextDeleter {
  void operator()(ssl_ctx_st* context) const;
};
using TlsContext = std::unique_ptr<ssl_ctx_st, TlsContextDeleter>;

// A context for a server, TLS 1.2 or newer, from PEM files: the certificate, with its chain, and its key. Empty if both
// names are. Throws InputError if one of them cannot be used, or the key is not that of the certificate. Never asks for
// a password.
TlsContext make_tls_context(const std::string& certificate, const std::string& key);

}  // namespace perturb
