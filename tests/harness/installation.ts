import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { connect } from 'node:tls';

/** The line that installs an agent on a host which reaches the controller at `endpoint`, as an invitation prints it. */
export async function installationLine(wanted: {
  readonly endpoint: string;
  readonly token: string;
  /** Folder of the parcels. */
  readonly parcels: string;
}): Promise<string> {
  const { endpoint, token, parcels } = wanted;
  const sums = ['amd64', 'arm64'].flatMap((arch) => {
    try {
      const file = path.join(parcels, `vantage-agent-linux-${arch}.tar.gz.sha256`);
      return [`${arch}=${readFileSync(file, 'utf8').slice(0, 64)}`];
    } catch {
      return [];
    }
  });
  const download = `curl -fsSLk --pinnedpubkey 'sha256//${await pinOf(endpoint)}' -H 'Authorization: Bearer ${token}' ${endpoint}/install.sh`;
  return `${download} | sudo sh -s -- --token ${token} --endpoint ${endpoint} --sha256 ${sums.join(',')}`;
}

/** The SHA-256 of a server's public key, in base64. */
function pinOf(endpoint: string): Promise<string> {
  const { hostname, port } = new URL(endpoint);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const key = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' });
      socket.destroy();
      if (key === undefined) reject(new Error(`${endpoint} has no certificate`));
      else resolve(createHash('sha256').update(key).digest('base64'));
    });
  });
}
