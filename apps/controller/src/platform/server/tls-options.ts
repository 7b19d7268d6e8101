import { constants } from 'node:crypto';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import type { ServerCertificate } from './tls.ts';

/** The longest time of a handshake, milliseconds. */
const handshakeMs = 10_000;

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

/**
 * The versions of both ports: TLS 1.2 and 1.3. `setSecureContext` needs them again, because it forgets earlier options.
 */
export function secureContextOptions(certificate: ServerCertificate): SecureContextOptions {
  return {
    ...certificate,
    ciphers,
    minVersion: 'TLSv1.2',
    honorCipherOrder: true,
    // A client that renegotiates makes the server do a handshake's work again and again.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

/** The options of a TLS server of the controller, for `https` and `http2` alike. */
export function tlsServerOptions(certificate: ServerCertificate): TlsOptions {
  return { ...secureContextOptions(certificate), handshakeTimeout: handshakeMs };
}
