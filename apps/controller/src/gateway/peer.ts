import { createHash, type X509Certificate } from 'node:crypto';
import type { Http2Session } from 'node:http2';
import { TLSSocket } from 'node:tls';

/** The client certificate of a connection, whose holder proved in the handshake that it has the key. */
export interface Peer {
  /** SHA-256 of the public key (SubjectPublicKeyInfo, DER). */
  readonly keyHash: Buffer;
  /** The name in the certificate. */
  readonly agentId: string;
  /** Why the certificate is not accepted (it is over, or of another authority); undefined: it is good now. */
  readonly fault: string | undefined;
}

/** The peer of a connection; undefined when it has no certificate. */
export function peerOf(connection: Http2Session | undefined): Peer | undefined {
  const socket = connection?.socket;
  if (!(socket instanceof TLSSocket)) return undefined;
  const certificate = socket.getPeerX509Certificate();
  return certificate && readPeer(certificate, socket.authorized ? undefined : `${socket.authorizationError}`);
}

function readPeer({ publicKey, subject }: X509Certificate, fault: string | undefined): Peer {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return {
    keyHash: createHash('sha256').update(spki).digest(),
    agentId: /^CN=([0-9a-f]+)$/.exec(subject)?.[1] ?? '',
    fault,
  };
}
