import { type Clock, createSemaphore, declareShare, type Logger } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { hashCredential } from '@vantage/storage/secrets/credential';
import type { Kysely } from 'kysely';
import { agentCertificateUs } from '../../server/agent-certificate-times.ts';
import type { Authorities } from '../../server/server-certificate.ts';
import {
  decideEnrolment,
  decideRenewal,
  type EnrolmentDecision,
  type EnrolmentRefusal,
  type EnrolmentRow,
} from './decide-enrolment.ts';
import type { SigningRequest } from './signing-request.ts';

declareShare({
  name: 'enrolments_in_work',
  limit: '2 run, 1,024 wait',
  filledBy: 'strangers',
  share: '200 in a row and then 20 a second of an address (IPv6: /64)',
});

/** Reads and writes the columns of agents that enrolment uses. */
export interface AgentEnrolment {
  /**
   * Keeps other requests with this public key waiting until the transaction ends: two tokens with one key would both
   * find the key free.
   */
  lockKey(trx: Kysely<Tables>, keyHash: Uint8Array): Promise<void>;
  /** Whether an agent has the token with this SHA-256; locks nothing. */
  knowsToken(trx: Kysely<Tables>, tokenHash: Uint8Array): Promise<boolean>;
  /** The agent of a token, by the token's SHA-256; its row is locked until the transaction ends. */
  findByToken(trx: Kysely<Tables>, tokenHash: Uint8Array): Promise<EnrolmentRow | undefined>;
  /** The agent of a public key, by the key's SHA-256; its row is locked until the transaction ends. */
  findByKey(trx: Kysely<Tables>, keyHash: Uint8Array): Promise<EnrolmentRow | undefined>;
  /** Stores a new certificate. `tokenUsedUs`: a token was used for it now. */
  keep(
    trx: Kysely<Tables>,
    agentNo: number,
    made: {
      readonly keyHash: Uint8Array;
      readonly certificate: string;
      readonly certificateEndUs: number;
      readonly tokenUsedUs: number | undefined;
    },
  ): Promise<void>;
}

/** The outcome of a request for a certificate. */
type Enrolled =
  | {
      readonly kind: 'enrolled';
      readonly agentId: string;
      /** PEM. */
      readonly certificate: string;
      /** PEM of all trusted authorities. */
      readonly ca: string;
    }
  | { readonly kind: 'refused'; readonly reason: EnrolmentRefusal }
  /** The request itself is wrong; `message` is for its sender. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** Too many are in work. */
  | { readonly kind: 'busy' };

/** Gives agents their certificates. */
export interface AgentEnrolments {
  /** `token` undefined: a renewal, for the agent of the key. Rejects when the database cannot be reached. */
  enrol(token: string | undefined, csr: string): Promise<Enrolled>;
  /** Whether a token is good for downloads: it belongs to an agent in force and is not over. */
  mayDownload(token: string): Promise<'yes' | EnrolmentRefusal | 'busy'>;
  /** Whether the agent of this key, whose certificate was verified, may download another version of itself. */
  mayUpgrade(keyHash: Uint8Array): Promise<'yes' | EnrolmentRefusal | 'busy'>;
}

/** Requests in the database at one time. Strangers never use more of it than this. */
const work = { running: 2, waiting: 1_024 };

/** With its library these are hundreds of modules; most starts of a controller enrol no agent. */
const loadReader = () => import('./signing-request.ts');

/** Creates the enrolment. */
export function createEnrolment(deps: {
  readonly kysely: Kysely<Tables>;
  readonly agents: AgentEnrolment;
  readonly authorities: () => Authorities;
  readonly clock: Pick<Clock, 'nowUs'>;
  readonly log: Logger;
}): AgentEnrolments {
  const { kysely, agents, clock, log } = deps;
  const semaphore = createSemaphore(work);

  /** The decision about the row, carried out. The signature of the request is verified for a known agent only. */
  const carryOut = async (
    trx: Kysely<Tables>,
    {
      row,
      decision,
      request,
      tokenUsedUs,
    }: {
      readonly row: EnrolmentRow | undefined;
      readonly decision: EnrolmentDecision;
      readonly request: SigningRequest;
      readonly tokenUsedUs: number | undefined;
    },
  ): Promise<Enrolled> => {
    if (decision.kind === 'refuse') return { kind: 'refused', reason: decision.reason };
    if (row === undefined) return { kind: 'refused', reason: 'unknown' };
    if (!(await request.verify()))
      return { kind: 'malformed', message: 'The signature of the CSR is not the one of its key' };
    const { agentId, agentNo } = row;
    const { signing, trusted } = deps.authorities();
    const answer = (certificate: string): Enrolled => ({
      kind: 'enrolled',
      agentId,
      certificate,
      ca: trusted.join(''),
    });
    if (decision.kind === 'repeat') return answer(decision.certificate);
    const nowUs = clock.nowUs();
    const { publicKey, keyHash } = request;
    const certificateEndUs = nowUs + agentCertificateUs;
    const times = { nowMs: nowUs / 1000, toMs: certificateEndUs / 1000 };
    const { signAgent } = await import('../../server/authority.ts');
    const certificate = await signAgent(signing, { agentId, publicKey, ...times });
    await agents.keep(trx, agentNo, { keyHash, certificate, certificateEndUs, tokenUsedUs });
    log.info({ agentId }, tokenUsedUs === undefined ? 'a certificate is renewed' : 'an agent enrolled');
    return answer(certificate);
  };

  const withToken = async (token: string, csr: string): Promise<Enrolled> => {
    const { readSigningRequest } = await loadReader();
    return kysely.transaction().execute(async (trx) => {
      // A CSR is parsed only if its token is known here.
      if (!(await agents.knowsToken(trx, hashCredential(token))))
        return { kind: 'refused', reason: 'unknown' };
      const request = readSigningRequest(csr);
      if (typeof request === 'string') return { kind: 'malformed', message: request };
      // Before the rows: two requests that lock each other's row would deadlock.
      await agents.lockKey(trx, request.keyHash);
      const row = await agents.findByToken(trx, hashCredential(token));
      const nowUs = clock.nowUs();
      const decision = decideEnrolment(row, { keyHash: request.keyHash, nowUs });
      const other = await agents.findByKey(trx, request.keyHash);
      if (decision.kind === 'issue' && other !== undefined && other.agentNo !== row?.agentNo)
        return {
          kind: 'malformed',
          message: 'The key of the CSR belongs to another agent. Create a new key',
        };
      return carryOut(trx, { row, decision, request, tokenUsedUs: nowUs });
    });
  };

  const withKey = async (csr: string): Promise<Enrolled> => {
    const { readSigningRequest } = await loadReader();
    const request = readSigningRequest(csr);
    if (typeof request === 'string') return { kind: 'malformed', message: request };
    return kysely.transaction().execute(async (trx) => {
      const row = await agents.findByKey(trx, request.keyHash);
      const decision = decideRenewal(row, clock.nowUs());
      return carryOut(trx, { row, decision, request, tokenUsedUs: undefined });
    });
  };

  return {
    async enrol(token, csr) {
      const done = await semaphore.run(() => (token === undefined ? withKey(csr) : withToken(token, csr)));
      return done?.value ?? { kind: 'busy' };
    },
    async mayDownload(token) {
      const found = await semaphore.run(() => agents.findByToken(kysely, hashCredential(token)));
      if (found === undefined) return 'busy';
      const row = found.value;
      if (row === undefined) return 'unknown';
      if (row.isRevoked) return 'revoked';
      return row.tokenExpiresUs < clock.nowUs() ? 'expired' : 'yes';
    },
    async mayUpgrade(keyHash) {
      const found = await semaphore.run(() => agents.findByKey(kysely, keyHash));
      if (found === undefined) return 'busy';
      if (found.value === undefined) return 'unknown-key';
      return found.value.isRevoked ? 'revoked' : 'yes';
    },
  };
}
