import type { FindingId } from '@vantage/domain';
import { type Clock, createJobParts, type Logger } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import type { JobFacts } from '../metrics/process-store.ts';
import { type Facts, type Finding, findingsOf, type Problem } from './findings.ts';
import { readStoredFacts, type StoredFacts } from './stored-facts.ts';

/** The findings of one controller. */
export interface Findings {
  /**
   * The present findings. The facts of the controller are those of now; those of the database were read within
   * `freshMs`, or stay as they were while it does not answer. Never rejects, and waits for `patienceMs` at most.
   */
  read(): Promise<readonly Finding[]>;
  /** Logs findings that begin and end, and stores those that raise alerts for the step alerts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Alerts begin and end within a minute: this, and a look of the step alerts. */
const everyMs = 15_000;
/** An answer counts for others that ask within this time, so that strangers cannot make work for the database. */
const freshMs = 5_000;
/** A database that needs longer does not answer. */
const patienceMs = 2_000;

/** Creates the findings. `own` returns the facts that only this controller has; `keyFile` looks at its key file. */
export function createFindings(deps: {
  readonly kysely: Kysely<Tables>;
  readonly controllerId: string;
  readonly clock: Pick<Clock, 'sleep' | 'monoMs' | 'nowUs'>;
  readonly log: Logger;
  readonly readJobs: () => Promise<JobFacts | undefined>;
  readonly keyFile: () => Promise<Facts['keyFile']>;
  readonly own: () => Omit<Facts, 'nowUs' | 'stored' | 'keyFile'>;
}): Findings {
  const { kysely, controllerId, clock, log } = deps;
  const parts = createJobParts({
    log,
    failed: 'problems of this installation cannot be stored',
    recovered: 'problems of this installation are stored again',
  });
  let known: { readonly stored?: StoredFacts; readonly keyFile: Facts['keyFile'] } = { keyFile: 'good' };
  const look = keptFor(freshMs, clock, async () => {
    const [stored, keyFile] = await Promise.all([readStoredFacts(kysely, deps.readJobs), deps.keyFile()]);
    known = { stored, keyFile };
  });
  const read = async () => {
    await withPatience(clock, look());
    return findingsOf({ ...deps.own(), ...known, stored: known.stored, nowUs: clock.nowUs() });
  };
  const report = createReport(log);
  const store = async () => {
    const findings = await read();
    report(findings);
    await storeProblems(kysely, controllerId, problemsOf(findings));
  };
  return {
    read,
    async run(signal) {
      while (!signal.aborted) {
        await parts.attempt('problems', store);
        await clock.sleep(everyMs, signal).catch(() => {});
      }
    },
  };
}

/** The alerts of findings, one of each kind. Pure. */
function problemsOf(findings: readonly Finding[]): readonly Problem[] {
  const byKind = new Map<string, Problem>();
  for (const { alert } of findings) if (alert && !byKind.has(alert.kind)) byKind.set(alert.kind, alert);
  return [...byKind.values()];
}

/** Parts that find these log them, with more facts. */
const loggedElsewhere: ReadonlySet<FindingId> = new Set([
  'clock_wrong',
  'disk_low',
  'certificate_ending',
  'certificate_refused',
  'database_back',
  'database_moved',
  'worker_away',
]);

/** Logs the start and the end of a finding, once each. */
function createReport(log: Logger): (findings: readonly Finding[]) => void {
  let said: ReadonlyMap<FindingId, string> = new Map();
  return (findings) => {
    const present = new Map(
      findings.filter(({ id }) => !loggedElsewhere.has(id)).map(({ id, text }) => [id, text]),
    );
    for (const { id, severity, text, remedy } of findings)
      if (present.has(id) && !said.has(id))
        log[severity === 'fault' ? 'error' : 'warn']({ finding: id, remedy }, text);
    for (const [id, text] of said) if (!present.has(id)) log.info({ finding: id }, `over: ${text}`);
    said = present;
  };
}

async function withPatience(clock: Pick<Clock, 'sleep'>, work: Promise<void>): Promise<void> {
  const done = new AbortController();
  const late = clock.sleep(patienceMs, done.signal).catch(() => {});
  await Promise.race([work, late]);
  done.abort();
}

/** Runs `work` once in this time, and never beside itself: a database that hangs gets one question. */
function keptFor(ms: number, clock: Pick<Clock, 'monoMs'>, work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let untilMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (running !== undefined) return running;
    if (clock.monoMs() < untilMs) return Promise.resolve();
    running = work()
      .catch(() => {}) // What is known stays; the readiness says that the database does not answer.
      .finally(() => {
        running = undefined;
        untilMs = clock.monoMs() + ms;
      });
    return running;
  };
}

/** The clock of the database: those of the controllers may be wrong. */
const databaseUs = sql`(extract(epoch from clock_timestamp()) * 1e6)::bigint`;

/** A row counts for this time; a controller that still sees the problem writes it again before. */
const countsForUs = 120_000_000;

/**
 * Stores the problems that a controller sees now, removes those that it saw before, and those of controllers that
 * ended.
 */
async function storeProblems(
  kysely: Kysely<Tables>,
  controllerId: string,
  problems: readonly Problem[],
): Promise<void> {
  const kinds = problems.map(({ kind }) => kind);
  await sql`
    delete from installation_problems
    where ends_us < ${databaseUs} or (controller_id = ${controllerId} and kind <> all(${kinds}::text[]))`.execute(
    kysely,
  );
  for (const { kind, reason, accountNos } of problems)
    await sql`
      insert into installation_problems (controller_id, kind, reason, ends_us, account_nos)
      values (${controllerId}, ${kind}, ${reason}, ${databaseUs} + ${countsForUs}::bigint, ${accountNos ?? null}::int[])
      on conflict (controller_id, kind) do update set reason = excluded.reason, ends_us = excluded.ends_us,
        account_nos = excluded.account_nos`.execute(kysely);
}
