import { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { dayMs } from '@vantage/domain';
import { type Clock, createWaker, type KeptFiles, keepFiles, type Logger, messageOf } from '@vantage/kernel';
import type { ControllerConfig } from '../config/controller-config.ts';
import {
  type CertificateState,
  certificateProblem,
  certificateState,
  validityOf,
} from './certificate-validity.ts';
import {
  type Authorities,
  covers,
  ensureCertificates,
  readCertificate,
  type ServerCertificate,
  updateFile,
} from './server-certificate.ts';

/** The certificates in use on both ports. */
export interface PortCertificates {
  /** The certificate of the REST API: the operator's, else one of the controller's CA. */
  readonly api: ServerCertificate;
  /** The certificate of the agents' port, always of the controller's CA. */
  readonly gateway: ServerCertificate;
  /** They sign the certificates of agents. */
  readonly authorities: Authorities;
  /** The PEM file for clients of the REST API. */
  readonly apiTrustFile: string;
  /** The PEM file for agents. */
  readonly caFile: string;
  /** The name in the API's address: localhost where the certificate covers it. */
  readonly apiHost: string;
  /** The name in the agents' address. */
  readonly gatewayHost: string;
}

const anyAddress = new Set(['0.0.0.0', '::']);

interface CertificateDeps {
  readonly config: Pick<ControllerConfig, 'dataDir' | 'tls' | 'tlsNames' | 'listen'>;
  readonly readAuthorities: (dir: string) => Promise<Authorities>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The certificates of a controller, which are renewed while it runs. */
export interface CertificatesInUse {
  readonly current: PortCertificates;
  /** The end of the certificate of the REST port and its chain, microseconds since 1970. */
  readonly apiEndUs: number;
  /** The problem of this certificate, for people; undefined: none. */
  readonly problem: string | undefined;
  /** Since when the operator's files cannot be used, microseconds since 1970; undefined: they are in use. */
  readonly refusedSinceUs: number | undefined;
  /**
   * Reads the operator's files again within half a minute after a change, and everything once a day and when `again` is
   * called; calls `onChange` with new certificates. Logs once a day that the certificate of the REST port ends soon.
   */
  keep(onChange: (certificates: PortCertificates) => void, ending: AbortSignal): Promise<void>;
  /** Reads everything again now. */
  again(): void;
}

const pollMs = 30_000;

/** Reads or creates the certificates according to the settings. Throws a Fault that names the faulty file. */
export async function openCertificates(deps: CertificateDeps): Promise<CertificatesInUse> {
  const { config, clock, log } = deps;
  const files = keepFiles((text) => log.warn(text));
  const waker = createWaker(clock);
  let fingerprint = await fingerprintOf(config.tls);
  let current = await loadCertificates(deps, files);
  let isRequested = false;
  let loadedMs = clock.monoMs();
  let fault: { readonly text: string; readonly sinceUs: number } | undefined;
  const load = async (onChange: (certificates: PortCertificates) => void) => {
    loadedMs = clock.monoMs();
    try {
      const next = await loadCertificates(deps, files);
      fault = undefined;
      if (textOf(next) === textOf(current)) return;
      current = next;
      onChange(next);
      log.info({ apiEnd: isoTime(validityOf(next.api.cert).toUs) }, 'new certificates are in use');
    } catch (error) {
      // While files are being written, they may not match: they are read again after their next change.
      const text = messageOf(error);
      if (text !== fault?.text)
        log.error({ error: text }, 'the certificates cannot be renewed; the present ones stay in use');
      fault = { text, sinceUs: fault?.sinceUs ?? clock.nowUs() };
    }
  };
  const daily = createDailyLine({ clock, log });
  return {
    get current() {
      return current;
    },
    get apiEndUs() {
      return validityOf(current.api.cert).toUs;
    },
    get problem() {
      return certificateProblem(validityOf(current.api.cert), clock.nowUs());
    },
    get refusedSinceUs() {
      return config.tls === undefined ? undefined : fault?.sinceUs;
    },
    again() {
      isRequested = true;
      waker.wake();
    },
    async keep(onChange, ending) {
      while (!ending.aborted) {
        const now = await fingerprintOf(config.tls);
        if (isRequested || now !== fingerprint || clock.monoMs() - loadedMs >= dayMs) {
          [isRequested, fingerprint] = [false, now];
          await load(onChange);
        }
        daily(current, config.tls?.certFile);
        await waker.wait(pollMs, ending);
      }
      files.stop();
    },
  };
}

/** Changes when one of the files changes; empty without files of the operator. */
async function fingerprintOf(tls: CertificateDeps['config']['tls']): Promise<string> {
  if (tls === undefined) return '';
  const all = await Promise.all([tls.certFile, tls.keyFile].map((file) => stat(file).catch(() => undefined)));
  return all.map((found) => `${found?.ino}/${found?.size}/${found?.mtimeMs}`).join(' ');
}

/** Logs the problem of the certificate of the REST port immediately, and then once a day. */
function createDailyLine({ clock, log }: Pick<CertificateDeps, 'clock' | 'log'>) {
  let logged: { readonly state: CertificateState; readonly atMs: number } | undefined;
  return ({ api }: PortCertificates, file: string | undefined): void => {
    const validity = validityOf(api.cert);
    const state = certificateState(validity, clock.nowUs());
    if (state === 'good') {
      logged = undefined;
      return;
    }
    if (logged?.state === state && clock.monoMs() - logged.atMs < dayMs) return;
    logged = { state, atMs: clock.monoMs() };
    const facts = { file, from: isoTime(validity.fromUs), end: isoTime(validity.toUs) };
    if (state === 'near') log.warn(facts, 'the certificate of the REST port ends soon');
    else if (state === 'ended')
      log.error(facts, 'the certificate of the REST port has ended: clients refuse it');
    else log.error(facts, 'the certificate of the REST port is not valid yet: clients refuse it');
  };
}

function isoTime(us: number): string {
  return new Date(us / 1000).toISOString();
}

async function loadCertificates(
  { config, readAuthorities, clock, log }: CertificateDeps,
  files: KeptFiles,
): Promise<PortCertificates> {
  const listen = config.listen !== undefined && !anyAddress.has(config.listen) ? [config.listen] : [];
  const names = [...new Set(['localhost', '127.0.0.1', '::1', hostname(), ...listen, ...config.tlsNames])];
  const dir = path.join(config.dataDir, 'tls');
  const authorities = await readAuthorities(dir);
  const generated = await ensureCertificates({ dir, names, authorities, clock, log, files });
  const { caFile, server: gateway } = generated;
  const gatewayHost = listen[0] ?? 'localhost';
  const agents = { gateway, authorities, caFile, gatewayHost };
  if (!config.tls) return { ...agents, api: gateway, apiTrustFile: caFile, apiHost: gatewayHost };
  const api = await readCertificate(config.tls);
  const apiTrustFile = path.join(dir, 'api-trust.pem');
  await updateFile(files, apiTrustFile, `${api.cert.trimEnd()}\n${authorities.trusted.join('')}`, 0o644);
  return { ...agents, api, apiTrustFile, apiHost: hostOf(api.cert, gatewayHost) };
}

function textOf({ api, gateway, authorities }: PortCertificates): string {
  return [api.cert, gateway.cert, ...authorities.trusted].join('');
}

/** A host name of the operator's certificate. */
function hostOf(cert: string, preferred: string): string {
  if (covers(cert, [preferred])) return preferred;
  const names = (new X509Certificate(cert).subjectAltName ?? '')
    .split(', ')
    .flatMap((entry) => /^DNS:([^*]+)$/.exec(entry)?.[1] ?? []);
  return names[0] ?? preferred;
}
