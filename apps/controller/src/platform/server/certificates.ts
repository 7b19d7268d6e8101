import { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { dayMs } from '@vantage/domain';
import { type Clock, createWaker, type KeptFiles, keepFiles, type Logger, messageOf } from '@vantage/kernel';
import type { Config } from '../config/config.ts';
import {
  type Authorities,
  covers,
  ensureCertificates,
  readCertificate,
  type ServerCertificate,
  updateFile,
} from './tls.ts';

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
  /** When the certificate of the REST port ends, with its chain, microseconds since 1970. */
  readonly apiEndUs: number;
  /** The fault of that certificate, for people; undefined: none. */
  readonly problem: string | undefined;
  /** The operator's files could not be taken into use since then, microseconds since 1970; undefined: they could. */
  readonly refusedSinceUs: number | undefined;
  /**
   * Reads the operator's files again when they have changed (within half a minute), and everything once a day and
   * whenever `again` is called; calls `onChange` with new certificates. Logs once a day that the certificate of the
   * REST port ends.
   */
  keep(onChange: (certificates: Certificates) => void, ending: AbortSignal): Promise<void>;
  /** Reads everything again now. */
  again(): void;
}

const lookEveryMs = 30_000;

/** Reads or makes the certificates that the settings ask for. Throws a Fault that names the faulty file. */
export async function openCertificates(deps: Deps): Promise<CertificatesInUse> {
  const { config, clock, log } = deps;
  const files = keepFiles((text) => log.warn(text));
  const waker = createWaker(clock);
  let look = await lookAt(config.tls);
  let current = await loadCertificates(deps, files);
  let isAsked = false;
  let loadedMs = clock.monoMs();
  let fault: { readonly text: string; readonly sinceUs: number } | undefined;
  const load = async (onChange: (certificates: Certificates) => void) => {
    loadedMs = clock.monoMs();
    try {
      const next = await loadCertificates(deps, files);
      fault = undefined;
      if (textOf(next) === textOf(current)) return;
      current = next;
      onChange(next);
      log.info({ apiEnd: isoTime(validityOf(next.api.cert).toUs) }, 'new certificates are in use');
    } catch (error) {
      // Files that are being written do not belong together for a moment: they are read again when they have changed.
      const text = messageOf(error);
      if (text !== fault?.text)
        log.error({ error: text }, 'the certificates cannot be renewed; the present ones stay');
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
      isAsked = true;
      waker.wake();
    },
    async keep(onChange, ending) {
      while (!ending.aborted) {
        const now = await lookAt(config.tls);
        if (isAsked || now !== look || clock.monoMs() - loadedMs >= dayMs) {
          [isAsked, look] = [false, now];
          await load(onChange);
        }
        daily(current, config.tls?.certFile);
        await waker.wait(lookEveryMs, ending);
      }
      files.stop();
    },
  };
}

/** Changes when one of the files does; empty where they cannot be looked at. */
async function lookAt(tls: Deps['config']['tls']): Promise<string> {
  if (tls === undefined) return '';
  const all = await Promise.all([tls.certFile, tls.keyFile].map((file) => stat(file).catch(() => undefined)));
  return all.map((found) => `${found?.ino}/${found?.size}/${found?.mtimeMs}`).join(' ');
}

/** Logs what is wrong with the certificate of the REST port: at once, and then once a day. */
function createDailyLine({ clock, log }: Pick<Deps, 'clock' | 'log'>) {
  let said: { readonly state: CertificateState; readonly atMs: number } | undefined;
  return ({ api }: Certificates, file: string | undefined): void => {
    const validity = validityOf(api.cert);
    const state = certificateState(validity, clock.nowUs());
    if (state === 'good') {
      said = undefined;
      return;
    }
    if (said?.state === state && clock.monoMs() - said.atMs < dayMs) return;
    said = { state, atMs: clock.monoMs() };
    const facts = { file, from: isoTime(validity.fromUs), end: isoTime(validity.toUs) };
    if (state === 'near') log.warn(facts, 'the certificate of the REST port ends soon');
    else if (state === 'ended')
      log.error(facts, 'the certificate of the REST port has ended: clients refuse it');
    else log.error(facts, 'the certificate of the REST port does not hold yet: clients refuse it');
  };
}

function isoTime(us: number): string {
  return new Date(us / 1000).toISOString();
}

async function loadCertificates(
  { config, readAuthorities, clock, log }: Deps,
  files: KeptFiles,
): Promise<Certificates> {
  const listen = config.listen !== undefined && !anyAddress.has(config.listen) ? [config.listen] : [];
  const names = [...new Set(['localhost', '127.0.0.1', '::1', hostname(), ...listen, ...config.tlsNames])];
  const dir = path.join(config.dataDir, 'tls');
  const authorities = await readAuthorities(dir);
  const own = await ensureCertificates({ dir, names, authorities, clock, log, files });
  const { caFile, server: gateway } = own;
  const gatewayHost = listen[0] ?? 'localhost';
  const agents = { gateway, authorities, caFile, gatewayHost };
  if (!config.tls) return { ...agents, api: gateway, apiTrustFile: caFile, apiHost: gatewayHost };
  const api = await readCertificate(config.tls);
  const apiTrustFile = path.join(dir, 'api-trust.pem');
  await updateFile(files, apiTrustFile, `${api.cert.trimEnd()}\n${authorities.trusted.join('')}`, 0o644);
  return { ...agents, api, apiTrustFile, apiHost: hostOf(api.cert, gatewayHost) };
}

function textOf({ api, gateway, authorities }: Certificates): string {
  return [api.cert, gateway.cert, ...authorities.trusted].join('');
}

/** The host by which the operator's certificate can be verified. */
function hostOf(cert: string, preferred: string): string {
  if (covers(cert, [preferred])) return preferred;
  const names = (new X509Certificate(cert).subjectAltName ?? '')
    .split(', ')
    .flatMap((entry) => /^DNS:([^*]+)$/.exec(entry)?.[1] ?? []);
  return names[0] ?? preferred;
}

/** From when to when a chain of certificates holds, microseconds since 1970. */
interface Validity {
  readonly fromUs: number;
  readonly toUs: number;
}

/** Whether certificates hold. `near`: whoever renews them should have done so. */
export type CertificateState = 'good' | 'near' | 'ended' | 'early';

/**
 * A certificate of a public authority is renewed a month before its end; with two weeks left the renewal does not work.
 */
const nearUs = 14 * dayMs * 1000;
/** Certificates of some days are renewed later. */
const nearShare = 0.25;

/** The certificates of a PEM text hold while all of them do. Throws for a text without a certificate. */
function validityOf(pem: string): Validity {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [pem];
  const all = texts.map((text) => new X509Certificate(text));
  return {
    fromUs: Math.max(...all.map(({ validFrom }) => Date.parse(validFrom))) * 1000,
    toUs: Math.min(...all.map(({ validTo }) => Date.parse(validTo))) * 1000,
  };
}

/** The state at a time, microseconds since 1970. Pure. */
export function certificateState({ fromUs, toUs }: Validity, nowUs: number): CertificateState {
  if (nowUs >= toUs) return 'ended';
  if (nowUs < fromUs) return 'early';
  return toUs - nowUs < Math.min(nearUs, (toUs - fromUs) * nearShare) ? 'near' : 'good';
}

/** The fault, for people; undefined: none. */
export function certificateProblem(validity: Validity, nowUs: number): string | undefined {
  const day = (us: number) => new Date(us / 1000).toISOString().slice(0, 16).replace('T', ' ').concat(' UTC');
  switch (certificateState(validity, nowUs)) {
    case 'good':
      return undefined;
    case 'near':
      return `the certificate of the REST port ends on ${day(validity.toUs)}`;
    case 'ended':
      return `the certificate of the REST port ended on ${day(validity.toUs)}: clients refuse it`;
    case 'early':
      return `the certificate of the REST port begins on ${day(validity.fromUs)}: clients refuse it until then`;
  }
}
