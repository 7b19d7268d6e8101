import { X509Certificate } from 'node:crypto';
import type { Http2Session } from 'node:http2';
import { TLSSocket } from 'node:tls';
import type { Clock } from '@vantage/kernel';
import { hashPublicKey } from '@vantage/storage/secrets/credential';

/** The client certificate of a connection, whose holder proved in the handshake that it has the key. */
export interface Peer {
  /** SHA-256 of the public key (SubjectPublicKeyInfo, DER). */
  readonly keyHash: Buffer;
  /** The name in the certificate. */
  readonly agentId: string;
  /** The reason to reject the certificate (expired, or of another authority); undefined: it is valid now. */
  readonly fault: string | undefined;
}

/** Reads the peer of a connection; undefined when it has no certificate. */
export type ReadPeer = (connection: Http2Session | undefined) => Peer | undefined;

/** OpenSSL's findings about a certificate's time. It judges by the clock of the machine, which may be wrong. */
const faultsOfTime = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** Creates the reader. `trusted` are the authorities, PEM; the controller's clock decides about times. */
export function createPeerReader({
  clock,
  trusted,
}: {
  readonly clock: Clock;
  readonly trusted: () => readonly string[];
}): ReadPeer {
  return (connection) => {
    const socket = connection?.socket;
    if (!(socket instanceof TLSSocket)) return undefined;
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return undefined;
    const finding = socket.authorized ? undefined : `${socket.authorizationError}`;
    const nowMs = clock.nowUs() / 1000;
    const { publicKey, subject } = certificate;
    return {
      keyHash: hashPublicKey(publicKey),
      agentId: /^CN=([0-9a-f]+)$/.exec(subject)?.[1] ?? '',
      fault: faultOf(certificate, { finding, nowMs, trusted: trusted() }),
    };
  };
}

/**
 * Why a certificate is not accepted at this time. `finding` is OpenSSL's, which may hide an unknown authority. Pure.
 */
export function faultOf(
  certificate: X509Certificate,
  {
    finding,
    nowMs,
    trusted,
  }: { readonly finding: string | undefined; readonly nowMs: number; readonly trusted: readonly string[] },
): string | undefined {
  if (nowMs > Date.parse(certificate.validTo)) return 'CERT_HAS_EXPIRED';
  if (nowMs < Date.parse(certificate.validFrom)) return 'CERT_NOT_YET_VALID';
  if (finding === undefined || !faultsOfTime.has(finding)) return finding;
  const isSigned = trusted.some((pem) => {
    const authority = new X509Certificate(pem);
    const isInForce = nowMs >= Date.parse(authority.validFrom) && nowMs <= Date.parse(authority.validTo);
    return isInForce && certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  });
  return isSigned ? undefined : finding;
}
