#pragma once
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/pem.h>
#include <openssl/bio.h>

/* What Swift cannot call: macros. */
static inline int wherry_ctx_tls13_only(SSL_CTX *ctx) {
  return SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION) == 1
      && SSL_CTX_set_max_proto_version(ctx, TLS1_3_VERSION) == 1;
}
static inline void wherry_ctx_no_sessions(SSL_CTX *ctx) {
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION);
}
static inline void wherry_ctx_moving_writes(SSL_CTX *ctx) {
  SSL_CTX_set_mode(ctx, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
}
static inline void wherry_ctx_max_certificate(SSL_CTX *ctx, long bytes) { SSL_CTX_set_max_cert_list(ctx, bytes); }
static inline int wherry_ctx_signature_algorithms(SSL_CTX *ctx, const char *list) {
  return SSL_CTX_set1_sigalgs_list(ctx, list);
}
static inline size_t wherry_bio_pending(BIO *bio) { return BIO_ctrl_pending(bio); }
static inline int wherry_gcm_nonce_length(EVP_CIPHER_CTX *ctx, int length) {
  return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, length, NULL);
}
static inline int wherry_gcm_get_tag(EVP_CIPHER_CTX *ctx, void *tag) {
  return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag);
}
static inline int wherry_gcm_set_tag(EVP_CIPHER_CTX *ctx, const void *tag) {
  return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, (void *)tag);
}
