import { constants } from 'node:crypto';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import type { ServerCertificate } from './server-certificate.ts';

const maxHandshakeMs = 10_000;

/**
 * Suites with authenticated encryption and forward secrecy only: those of TLS 1.3, and of TLS 1.2 the ECDHE suites with
 * GCM or ChaCha20 (RFC 9325, section 4.2). CBC suites are left out.
 */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** TLS 1.2 and 1.3 for both ports. `setSecureContext` needs all options again, because it drops the earlier ones. */
export function secureContextOptions(certificate: ServerCertificate): SecureContextOptions {
  return {
    ...certificate,
    ciphers,
    minVersion: 'TLSv1.2',
    honorCipherOrder: true,
    // Renegotiation would let a client repeat the expensive work of a handshake.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

/** The options of the controller's TLS servers, for `https` and `http2`. */
export function tlsServerOptions(certificate: ServerCertificate): TlsOptions {
  return { ...secureContextOptions(certificate), handshakeTimeout: maxHandshakeMs };
}
