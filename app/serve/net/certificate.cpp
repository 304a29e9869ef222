#include "app/serve/net/certificate.h"

#include <cstddef>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509err.h>

#include "app/io/files/text_file.h"
#include "cuda/core/backend/check.h"

namespace perturb {
namespace {

constexpr std::size_t max_pem_bytes = 1 << 20;

// In place of OpenSSL's own, which asks at the terminal.
int refuse_password(char*, int, int, void* was_asked) {
  *static_cast<bool*>(was_asked) = true;
  return -1;
}

}  // namespace

void TlsContextDeleter::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

TlsContext make_tls_context(const std::string& certificate, const std::string& key) {
  if (certificate.empty() && key.empty()) return nullptr;
  if (certificate.empty() || key.empty())
    throw InputError("Cannot serve by https: it needs a certificate and its key, and one is missing. Give both files.");
  // Says why a file cannot be read; OpenSSL does not.
  read_input_file(certificate, "certificate", max_pem_bytes);
  read_input_file(key, "key of the certificate", max_pem_bytes);

  TlsContext context(SSL_CTX_new(TLS_server_method()));
  if (!context) throw Error("Cannot serve by https: OpenSSL cannot be used. Check its installation.");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // Clients could make the server compute without end by renegotiation.
  SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  bool asked_for_password = false;
  SSL_CTX_set_default_passwd_cb(context.get(), refuse_password);
  SSL_CTX_set_default_passwd_cb_userdata(context.get(), &asked_for_password);
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1) {
    ERR_clear_error();
    throw InputError(
        "Cannot use the certificate \"{}\": it is not in PEM form. Give a file that contains \"BEGIN CERTIFICATE\".",
        certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1) {
    const unsigned long error = ERR_peek_last_error();
    ERR_clear_error();
    const int reason = ERR_GET_REASON(error);
    if (ERR_GET_LIB(error) == ERR_LIB_X509 &&
        (reason == X509_R_KEY_VALUES_MISMATCH || reason == X509_R_KEY_TYPE_MISMATCH))
      throw InputError(
          "Cannot use the key \"{}\": it does not belong to the certificate \"{}\". Give the two files that were made "
          "together.",
          key, certificate);
    if (asked_for_password)
      throw InputError("Cannot use the key \"{}\": it is protected by a password. Give a key without one.", key);
    throw InputError("Cannot use the key \"{}\": it is not in PEM form. Give a file that contains \"PRIVATE KEY\".",
                     key);
  }
  SSL_CTX_set_default_passwd_cb_userdata(context.get(), nullptr);
  return context;
}

}  // namespace perturb
