import { type Clock, Fault, type Logger, messageOf, type Secret } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import type { DisconnectReason } from '../stream/disconnect-reason.ts';
import { type EnrolReply, requestCertificate } from './certificate-request.ts';
import { isExpired, isRenewalDue } from './certificate-time.ts';
import { makeSigningRequest } from './encode-signing-request.ts';
import { createGrantStore } from './grant-store.ts';
import { type AgentCredentials, hashOfToken, type IdentityFolder } from './identity-folder.ts';

/**
 * The credentials for a controller, or the reason why there are none. `ca`: PEM; undefined: the system's certificates.
 */
export type Proof =
  | { readonly kind: 'certificate'; readonly cert: string; readonly key: string; readonly ca: string }
  | { readonly kind: 'none'; readonly reason: DisconnectReason };

/** The agent's certificate over time. */
export interface OwnCertificate {
  /** Returns the proof for a stream; enrols or renews if needed. Throws a Fault when the first token is refused. */
  prove(endpoint: string, signal: AbortSignal): Promise<Proof>;
  /** A controller refused the proof. */
  refused(): void;
  /** Renews the certificate at one of the controllers after two thirds of its lifetime. */
  renewIfDue(signal: AbortSignal): Promise<void>;
}

export function createOwnCertificate(deps: {
  readonly folder: IdentityFolder;
  readonly endpoints: readonly string[];
  /** Undefined: the agent has a certificate already. */
  readonly token: Secret | undefined;
  /** PEM of VANTAGE_CA_FILE; undefined: the system's certificates. */
  readonly ca: string | undefined;
  /** `http://[user:password@]host:port` of an HTTP proxy; undefined: there is none. */
  readonly proxy: Secret | undefined;
  /** Whether an earlier run had sessions. If not, the agent ends when its token is refused. */
  readonly hadSessions: boolean;
  readonly clock: Clock;
  /** The corrected time, microseconds since 1970. */
  readonly nowUs: () => number;
  readonly random: () => number;
  readonly log: Logger;
  readonly request?: typeof requestCertificate;
}): OwnCertificate {
  const { folder, clock, proxy, nowUs, log, request = requestCertificate } = deps;
  const grants = createGrantStore(folder, log);
  const address = { clock, proxy };
  const tokenHash = deps.token === undefined ? '' : hashOfToken(deps.token.reveal());
  const jitter = deps.random();
  let credentials: AgentCredentials | undefined = folder.found;
  let isRefused = false;
  /** The operator gave a token other than the one that was used to enrol, so the agent becomes another agent. */
  let hasFreshToken =
    deps.token !== undefined && credentials !== undefined && credentials.tokenHash !== tokenHash;

  const trusted = () =>
    [credentials?.ca, deps.ca].filter((text) => text !== undefined && text !== '').join('\n');
  const ca = () => (trusted() === '' ? undefined : trusted());
  const proofOf = ({ certificate, key }: AgentCredentials): Proof => ({
    kind: 'certificate',
    cert: certificate,
    key,
    ca: trusted(),
  });
  const inForce = (isNew = false) =>
    credentials && (isNew || !isExpired(credentials.certificate, nowUs())) ? proofOf(credentials) : undefined;
  const accept = async (key: string, reply: EnrolReply & { kind: 'granted' }, usedHash: string) => {
    const { certificate, ca: grantedCa, agentId } = reply.grant;
    log.info({ agentId }, credentials?.key === key ? 'the certificate is renewed' : 'this agent enrolled');
    credentials = { key, certificate, ca: grantedCa, tokenHash: usedHash };
    isRefused = false;
    await grants.keep(key, reply.grant, usedHash);
  };
  const renew = async (
    present: AgentCredentials,
    endpoint: string,
    signal: AbortSignal,
  ): Promise<EnrolReply> => {
    const { key } = present;
    const reply = await request({ ...address, endpoint, ca: ca() }, { CSR: makeSigningRequest(key) }, signal);
    if (reply.kind === 'granted') await accept(key, reply, present.tokenHash);
    return reply;
  };
  const enrol = async (token: Secret, endpoint: string, signal: AbortSignal): Promise<EnrolReply> => {
    let key: string;
    try {
      key = await folder.newKey();
    } catch (error) {
      const text = `the agent cannot enrol, because its key cannot be stored: ${messageOf(error)}`;
      log.error(text);
      return { kind: 'failed', text };
    }
    const sent = { Token: token.reveal(), CSR: makeSigningRequest(key) };
    const reply = await request({ ...address, endpoint, ca: ca() }, sent, signal);
    if (reply.kind === 'granted') await accept(key, reply, tokenHash);
    return reply;
  };
  /** The proof after a reply proofWithout a certificate. */
  const proofWithout = (reply: Exclude<EnrolReply, { kind: 'granted' }>): Proof => {
    switch (reply.kind) {
      case 'failed':
        return inForce() ?? failed(reply.text);
      case 'revoked':
        return none({ kind: 'goodbye', reason: Goodbye_Reason.REVOKED, text: reply.text });
      case 'refused':
        if (credentials === undefined && !deps.hadSessions)
          throw new Fault('stop', 'enrolment_refused', `this agent cannot enrol: ${reply.text}`);
        return none({ kind: 'refused', text: reply.text });
    }
  };

  return {
    async prove(endpoint, signal) {
      const { token } = deps;
      const before = credentials;
      if (hasFreshToken && token !== undefined) {
        const reply = await enrol(token, endpoint, signal);
        const isRejected = reply.kind === 'refused' || reply.kind === 'revoked';
        if (isRejected || reply.kind === 'granted') hasFreshToken = false;
        if (isRejected) log.warn(`enrolment token rejected; keeping the existing identity: ${reply.text}`);
      }
      const proof = isRefused ? undefined : inForce();
      if (proof !== undefined) return proof;
      if (before !== undefined) {
        const reply = await renew(before, endpoint, signal);
        if (reply.kind === 'granted') return inForce(true) ?? failed('there is no certificate');
        if (reply.kind !== 'refused' || token === undefined) return proofWithout(reply);
      }
      if (token === undefined) return failed('the agent has neither a certificate nor a token');
      const reply = await enrol(token, endpoint, signal);
      return reply.kind === 'granted'
        ? (inForce(true) ?? failed('there is no certificate'))
        : proofWithout(reply);
    },
    refused() {
      isRefused = true;
    },
    async renewIfDue(signal) {
      await grants.again();
      if (credentials === undefined || !isRenewalDue(credentials.certificate, nowUs(), jitter)) return;
      for (const endpoint of deps.endpoints) {
        const reply = await renew(credentials, endpoint, signal);
        if (reply.kind === 'granted' || signal.aborted) return;
        log.warn({ endpoint }, `the certificate cannot be renewed: ${reply.text}`);
      }
    },
  };
}

function none(reason: DisconnectReason): Proof {
  return { kind: 'none', reason };
}

function failed(text: string): Proof {
  return none({ kind: 'lost', text, lastedMs: 0 });
}
