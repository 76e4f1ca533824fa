internal import COpenSSL

/// What OpenSSL keeps for each thread that uses it.
package enum CryptoThread {
  /// Frees it for the calling thread, which may use OpenSSL again. A thread frees it when it ends; one that is overtaken by
  /// the end of the program does not come to that.
  package static func release() { OPENSSL_thread_stop() }
}
