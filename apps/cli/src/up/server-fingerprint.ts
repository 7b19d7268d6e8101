import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { connect } from 'node:tls';

const answerMs = 5_000;

/** The SHA-256 of the certificate that the API shows to browsers; undefined: it could not be read. */
export function serverFingerprint({
  base_url,
  ca_file,
}: {
  readonly base_url: string;
  readonly ca_file: string;
}): Promise<string | undefined> {
  const { hostname, port } = new URL(base_url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      ca: readFileSync(ca_file),
      timeout: answerMs,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    });
    const end = (fingerprint: string | undefined) => {
      socket.destroy();
      resolve(fingerprint);
    };
    socket.once('secureConnect', () => end(socket.getPeerCertificate().fingerprint256));
    socket.once('error', () => end(undefined));
    socket.once('timeout', () => end(undefined));
  });
}
