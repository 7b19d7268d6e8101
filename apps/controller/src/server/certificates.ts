import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { dayMs } from '@vantage/domain';
import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import type { Config } from '../config/config.ts';
import { ensureCertificates, readCertificate, type ServerCertificate } from './tls.ts';

/** The certificates in use, both ports. */
export interface Certificates {
  /** The certificate of the REST API: the operator's own, else one of the controller's CA. */
  readonly api: ServerCertificate;
  /** The certificate of the agents' port, always of the controller's CA. */
  readonly gateway: ServerCertificate;
  /** The PEM file that clients of the REST API trust. */
  readonly apiTrustFile: string;
  /** The PEM file that agents trust. */
  readonly caFile: string;
  /** The name in the API's address: localhost where the certificate covers it. */
  readonly apiHost: string;
  /** The name in the agents' address. */
  readonly gatewayHost: string;
}

const anyAddress = new Set(['0.0.0.0', '::']);

/** Reads or makes the certificates that the settings ask for. Throws a Fault that names the faulty file. */
export async function loadCertificates(deps: {
  readonly config: Pick<Config, 'dataDir' | 'tls' | 'tlsNames' | 'listen'>;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<Certificates> {
  const { config, clock, log } = deps;
  const listen = config.listen !== undefined && !anyAddress.has(config.listen) ? [config.listen] : [];
  const names = [...new Set(['localhost', '127.0.0.1', '::1', hostname(), ...listen, ...config.tlsNames])];
  const dir = path.join(config.dataDir, 'tls');
  const own = await ensureCertificates({ dir, names, clock, log });
  const { caFile, server: gateway } = own;
  const gatewayHost = listen[0] ?? 'localhost';
  const agents = { gateway, caFile, gatewayHost };
  if (!config.tls) return { ...agents, api: gateway, apiTrustFile: caFile, apiHost: gatewayHost };
  const api = await readCertificate(config.tls);
  const apiTrustFile = path.join(dir, 'api-trust.pem');
  await writeFile(apiTrustFile, `${api.cert.trimEnd()}\n${await readFile(caFile, 'utf8')}`, { mode: 0o644 });
  return { ...agents, api, apiTrustFile, apiHost: hostOf(api.cert, gatewayHost) };
}

/** Checks once a day whether certificates have changed or must be renewed, and calls `onChange` with new ones. */
export async function keepCertificates(
  deps: Parameters<typeof loadCertificates>[0] & {
    readonly current: Certificates;
    readonly onChange: (certificates: Certificates) => void;
  },
  ending: AbortSignal,
): Promise<void> {
  let { current } = deps;
  while (!ending.aborted) {
    await deps.clock.sleep(dayMs, ending).catch(() => {});
    if (ending.aborted) return;
    try {
      const next = await loadCertificates(deps);
      if (next.api.cert === current.api.cert && next.gateway.cert === current.gateway.cert) continue;
      current = next;
      deps.onChange(next);
      deps.log.info('new certificates are in use');
    } catch (error) {
      deps.log.error(
        { error: messageOf(error) },
        'the certificates cannot be renewed; the present ones stay',
      );
    }
  }
}

/** The host by which the operator's certificate can be verified. */
function hostOf(cert: string, preferred: string): string {
  const certificate = new X509Certificate(cert);
  if (certificate.checkHost(preferred) !== undefined || certificate.checkIP(preferred) !== undefined)
    return preferred;
  const names = (certificate.subjectAltName ?? '')
    .split(', ')
    .flatMap((entry) => /^DNS:([^*]+)$/.exec(entry)?.[1] ?? []);
  return names[0] ?? preferred;
}
