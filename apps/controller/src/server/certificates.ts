import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { dayMs } from '@vantage/domain';
import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import type { Config } from '../config/config.ts';
import { type Authorities, ensureCertificates, readCertificate, type ServerCertificate } from './tls.ts';

/** The certificates in use, both ports. */
export interface Certificates {
  /** The certificate of the REST API: the operator's own, else one of the controller's CA. */
  readonly api: ServerCertificate;
  /** The certificate of the agents' port, always of the controller's CA. */
  readonly gateway: ServerCertificate;
  /** They sign the certificates of agents. */
  readonly authorities: Authorities;
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

interface Deps {
  readonly config: Pick<Config, 'dataDir' | 'tls' | 'tlsNames' | 'listen'>;
  readonly readAuthorities: (dir: string) => Promise<Authorities>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The certificates of a controller over time. */
export interface CertificatesInUse {
  readonly current: Certificates;
  /** Checks once a day whether certificates have changed or must be renewed, and calls `onChange` with new ones. */
  keep(onChange: (certificates: Certificates) => void, ending: AbortSignal): Promise<void>;
}

/** Reads or makes the certificates that the settings ask for. Throws a Fault that names the faulty file. */
export async function openCertificates(deps: Deps): Promise<CertificatesInUse> {
  const { clock, log } = deps;
  let current = await loadCertificates(deps);
  return {
    get current() {
      return current;
    },
    async keep(onChange, ending) {
      while (!ending.aborted) {
        await clock.sleep(dayMs, ending).catch(() => {});
        if (ending.aborted) return;
        try {
          const next = await loadCertificates(deps);
          if (textOf(next) === textOf(current)) continue;
          current = next;
          onChange(next);
          log.info('new certificates are in use');
        } catch (error) {
          log.error({ error: messageOf(error) }, 'the certificates cannot be renewed; the present ones stay');
        }
      }
    },
  };
}

async function loadCertificates({ config, readAuthorities, clock, log }: Deps): Promise<Certificates> {
  const listen = config.listen !== undefined && !anyAddress.has(config.listen) ? [config.listen] : [];
  const names = [...new Set(['localhost', '127.0.0.1', '::1', hostname(), ...listen, ...config.tlsNames])];
  const dir = path.join(config.dataDir, 'tls');
  const authorities = await readAuthorities(dir);
  const own = await ensureCertificates({ dir, names, authorities, clock, log });
  const { caFile, server: gateway } = own;
  const gatewayHost = listen[0] ?? 'localhost';
  const agents = { gateway, authorities, caFile, gatewayHost };
  if (!config.tls) return { ...agents, api: gateway, apiTrustFile: caFile, apiHost: gatewayHost };
  const api = await readCertificate(config.tls);
  const apiTrustFile = path.join(dir, 'api-trust.pem');
  await writeFile(apiTrustFile, `${api.cert.trimEnd()}\n${await readFile(caFile, 'utf8')}`, { mode: 0o644 });
  return { ...agents, api, apiTrustFile, apiHost: hostOf(api.cert, gatewayHost) };
}

function textOf({ api, gateway, authorities }: Certificates): string {
  return [api.cert, gateway.cert, ...authorities.trusted].join('');
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
