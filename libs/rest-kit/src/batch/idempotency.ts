import { createHash } from 'node:crypto';
import { dayUs } from '@vantage/domain';
import { type Clock, declareState, Fault } from '@vantage/kernel';
import { type Db, tryLockRequest } from '@vantage/storage';
import type { Sealer } from '@vantage/storage/secrets/seal';
import { z } from 'zod';
import type { Session } from '../auth/session.ts';
import { conflict } from '../serve/problem.ts';
import type { Reply } from '../serve/route.ts';
import {
  dropOldest,
  dropRecords,
  findKept,
  type IdempotencyRecord,
  type IdempotentRequest,
  keepAnswer,
} from './idempotency-record-store.ts';

/** Answers are stored for repetitions for this long, microseconds. */
const keptUs = dayUs;
/** The limits of an account's stored answers; the oldest are dropped first. */
const most = { answers: 10_000, bytes: 64 * 1024 * 1024 } as const;
/** A repetition waits this long for the first request. */
const waitMs = 10_000;
const pollMs = 100;
/** Longer than any request outside a transaction may run: a traceroute of a device with the longest Timeout, 270 s. */
const runUs = 300_000_000;

/**
 * `transaction`: the work and the storing of its answer are one transaction. `lease`: the work commits in transactions
 * of its own; if its controller ends meanwhile, a repetition runs it again after the lease.
 */
type WorkKind = 'transaction' | 'lease';

/** Does the work of requests with an Idempotency-Key once. */
export interface Idempotency {
  /**
   * Runs `work` and stores its answer, or returns the stored answer of the first request. Throws a Problem (1005) if
   * the first request had other content, or still runs after 10 s. Nothing is stored of work that throws.
   */
  once(
    db: Db,
    request: IdempotentRequest,
    how: { readonly kind: WorkKind; readonly signal: AbortSignal },
    work: (db: Db) => Promise<Reply<unknown>>,
  ): Promise<Reply<unknown>>;
}

const storedAnswer = z.object({ body: z.unknown(), warnings: z.array(z.string()) });
const again =
  'Repeat the request later with the same Idempotency-Key, or send it with another one to do it once more.';

const tracked = declareState({
  name: 'requests_with_a_key',
  entries: { each: 'running request' },
  entryBytes: 1_000,
  filledBy: 'keys',
  atBound: 'the slots of a key',
});

/** Creates it. It works across controllers; those that wait in this one hear of the end at once. */
export function createIdempotency({
  sealer,
  clock,
}: {
  readonly sealer: Sealer;
  readonly clock: Clock;
}): Idempotency {
  const running = tracked(new Map<string, Promise<unknown>>());

  const replayed = (row: IdempotencyRecord, request: IdempotentRequest): Reply<unknown> | 'busy' => {
    if (!request.content.equals(row.content))
      throw conflict(
        'idempotency_key_reused',
        'This Idempotency-Key was sent before with another body. Send another key, for example a new UUID for each new request.',
      );
    if (row.sealed === null) return 'busy';
    return { ...storedAnswer.parse(openSealed(sealer, row.sealed, request)), replayed: true };
  };
  const keep = async (
    { kysely }: Db,
    request: IdempotentRequest,
    { body, warnings = [] }: Reply<unknown>,
  ): Promise<void> => {
    const value = z.json().parse(JSON.parse(JSON.stringify({ body, warnings })));
    const sealed = sealer.seal(value, contextOf(request));
    await keepAnswer(kysely, request, { sealed, runsUntilUs: null, nowUs: clock.nowUs() });
    if (request.partOf === undefined) await dropOldest(kysely, request.accountNo, most);
  };
  /** The stored answer to the request; undefined: the caller has to run the work before the transaction ends. */
  const find = async (
    { kysely }: Db,
    request: IdempotentRequest,
  ): Promise<Reply<unknown> | 'busy' | undefined> => {
    if (!(await tryLockRequest(kysely, request.request))) return 'busy';
    const nowUs = clock.nowUs();
    const row = await findKept(kysely, request, nowUs - keptUs);
    const isGivenUp = row?.sealed === null && (row.runsUntilUs ?? 0) <= nowUs;
    return row === undefined || isGivenUp ? undefined : replayed(row, request);
  };
  const inTransaction = (base: Db, request: IdempotentRequest, work: (db: Db) => Promise<Reply<unknown>>) =>
    base.inTransaction(async (db) => {
      const found = await find(db, request);
      if (found !== undefined) return found;
      const reply = await work(db);
      await keep(db, request, reply);
      return reply;
    });
  const withLease = async (
    base: Db,
    request: IdempotentRequest,
    work: (db: Db) => Promise<Reply<unknown>>,
  ) => {
    const found = await base.inTransaction(async (db) => {
      const before = await find(db, request);
      const nowUs = clock.nowUs();
      if (before === undefined)
        await keepAnswer(db.kysely, request, { sealed: null, runsUntilUs: nowUs + runUs, nowUs });
      return before;
    });
    if (found !== undefined) return found;
    try {
      const reply = await work(base);
      await base.inTransaction(async (db) => {
        await keep(db, request, reply);
        await dropRecords(db.kysely, request, 'part_of');
      });
      return reply;
    } catch (error) {
      await dropRecords(base.kysely, request, 'request');
      throw error;
    }
  };

  return {
    async once(db, request, { kind, signal }, work) {
      const name = `${request.accountNo} ${request.request.toString('base64')}`;
      const untilMs = clock.monoMs() + waitMs;
      const attempt = () =>
        kind === 'lease' ? withLease(db, request, work) : inTransaction(db, request, work);
      while (true) {
        const other = running.get(name);
        if (other === undefined) {
          const mine = attempt();
          running.set(name, mine);
          const outcome = await mine.finally(() => running.delete(name));
          if (outcome !== 'busy') return outcome;
        }
        const leftMs = untilMs - clock.monoMs();
        if (leftMs <= 0)
          throw conflict('still_running', `The first request with this Idempotency-Key still runs. ${again}`);
        const paused = clock.sleep(Math.min(other === undefined ? pollMs : leftMs, leftMs), signal);
        const ended = other?.then(
          () => {},
          () => {},
        );
        await Promise.race(ended === undefined ? [paused] : [paused, ended]);
      }
    },
  };
}

function openSealed(sealer: Sealer, sealed: Uint8Array, request: IdempotentRequest): unknown {
  try {
    return sealer.open(sealed, contextOf(request));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw conflict(
      'conflict',
      `The request with this Idempotency-Key was done, but its answer can no longer be read, because the key that sealed it is gone.`,
    );
  }
}

function contextOf({ accountNo, request }: IdempotentRequest): string {
  return `kept-answer:${accountNo}:${request.toString('hex')}`;
}

/** Parameters of the query that choose the form of an answer and carry the key. */
const notCompared = ['api_key', 'fmt', 'filename', '_'];

/**
 * The identity of a request, and the digest of its content. The level counts: an answer for a UW key is none for a UR
 * key.
 */
export function keptRequest(
  key: string,
  sent: {
    readonly session: Session;
    readonly method: string;
    /** Of the route, with the values of its placeholders in `params`. */
    readonly path: string;
    readonly params: Readonly<Record<string, string>>;
    readonly query: URLSearchParams;
    readonly body: unknown;
  },
): IdempotentRequest {
  const { session, method, path, params, query, body } = sent;
  const { accountNo, level, scope } = session;
  const whose = scope === undefined ? [accountNo] : [accountNo, scope];
  const parameters = new URLSearchParams(query);
  for (const name of notCompared) parameters.delete(name);
  parameters.sort();
  return {
    accountNo,
    request: digest([...whose, method, path, params, key]),
    content: digest([level, parameters.toString(), body]),
  };
}

function digest(value: readonly unknown[]): Buffer {
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest();
}

/** Objects that differ in the order of their fields only are one value. */
function sorted(_name: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}
