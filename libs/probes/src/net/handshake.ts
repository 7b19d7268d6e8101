import { isIP, type Socket } from 'node:net';
import {
  connect,
  type DetailedPeerCertificate,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { resultCode } from '@vantage/domain';
import type { TlsSettings } from '../contract/dial.ts';
import { Failure, systemCode } from '../contract/failure.ts';
import type { ProbeContext } from '../contract/probe.ts';
import { tlsWords } from '../contract/tls-words.ts';
import { certificateFacts, certificateFault, chainOf } from './certificate.ts';

export interface Handshake {
  readonly context: Pick<
    ProbeContext,
    'signal' | 'stopwatch' | 'addDetail' | 'diagnostics' | 'clock' | 'own'
  >;
  readonly socket: Socket;
  readonly secureContext: SecureContext;
  readonly settings: TlsSettings;
  /** The device's host: requested by SNI and expected in the certificate unless `ServerName` is set. */
  readonly host: string;
  /** `10.0.0.1:443`, for the texts. */
  readonly peer: string;
  readonly alpn?: readonly string[];
  readonly session?: Buffer;
}

/**
 * Upgrades a connected socket: measures the `ssl` phase, records the facts of TLS and the certificate, and the chain as
 * diagnostics. Throws Failure 6 if anything goes wrong.
 */
export async function handshake(request: Handshake): Promise<TLSSocket> {
  const { context, settings, host } = request;
  const name = settings.ServerName ?? host;
  context.stopwatch.enter('ssl');
  const secured = connect({
    socket: request.socket,
    secureContext: request.secureContext,
    rejectUnauthorized: false,
    ...(isIP(name) ? {} : { servername: name }),
    ...(request.alpn ? { ALPNProtocols: [...request.alpn] } : {}),
    ...(request.session ? { session: request.session } : {}),
    checkServerIdentity: () => undefined,
  });
  secured.on('error', () => {});
  // Without this, Node turns the whole chain into objects for a check that `certificateFault` does anyway, which costs
  // a quarter of the handshake's CPU time.
  secured.getPeerCertificate = noCertificate;
  // Never from inside a TLS callback (where a check may end): Node then continues to read freed memory and crashes.
  context.own({ [Symbol.dispose]: () => void setImmediate(() => secured.destroy()) });
  await settled(secured, request);
  Reflect.deleteProperty(secured, 'getPeerCertificate');

  const leaf = secured.getPeerX509Certificate();
  context.addDetail('TLS', { Version: secured.getProtocol(), Cipher: secured.getCipher().standardName });
  if (leaf === undefined) {
    // A resumed session (FTP's data connection) was checked when it began; OpenSSL may not provide its certificate.
    if (request.session && secured.isSessionReused()) return secured;
    throw new Failure(resultCode.tls, `${request.peer} presented no certificate`);
  }
  const nowMs = context.clock.nowUs() / 1000;
  context.addDetail('Certificate', () => certificateFacts(leaf, nowMs));
  context.diagnostics('CertificateChain', () =>
    chainOf(leaf).map((certificate) => certificateFacts(certificate, nowMs)),
  );
  const fault = certificateFault({ leaf, name, settings, nowMs, error: secured.authorizationError });
  if (fault !== undefined) throw new Failure(resultCode.tls, fault);
  return secured;
}

/** Replaces `getPeerCertificate` during the handshake. */
function noCertificate(): PeerCertificate & DetailedPeerCertificate {
  return Object.create(null);
}

function settled(secured: TLSSocket, { context, peer, settings, host }: Handshake): Promise<void> {
  return new Promise((resolve, reject) => {
    const { signal, stopwatch } = context;
    const name = settings.ServerName ?? host;
    const finish = (then: () => void) => {
      signal.removeEventListener('abort', onAbort);
      secured.off('secureConnect', onSecure).off('error', onError).off('close', onClose);
      then();
    };
    const onAbort = () => finish(() => reject(signal.reason));
    const onSecure = () => {
      stopwatch.pause();
      // This event comes from inside OpenSSL. The caller may destroy the socket, so let OpenSSL return first.
      setImmediate(() => finish(resolve));
    };
    const onError = (error: Error) => finish(() => reject(handshakeFailure(error, peer, name)));
    const onClose = () => finish(() => reject(handshakeFailure(undefined, peer, name)));
    signal.addEventListener('abort', onAbort, { once: true });
    secured.on('secureConnect', onSecure).on('error', onError).on('close', onClose);
  });
}

function handshakeFailure(error: Error | undefined, peer: string, name: string): Failure {
  const code = systemCode(error);
  if (error === undefined || code === 'ECONNRESET' || code === 'EPIPE') {
    return new Failure(resultCode.tls, `${peer} ended the connection during the TLS handshake`, {
      cause: error,
    });
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return new Failure(resultCode.tls, `${peer} does not speak TLS on this port`, { cause: error });
  }
  return new Failure(
    resultCode.tls,
    `TLS handshake with ${peer} failed: ${tlsWords({ code, message: error.message }, name)}`,
    {
      cause: error,
    },
  );
}
