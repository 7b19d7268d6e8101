import type { FindingId } from '@vantage/domain';
import { type Clock, createJobParts, type Logger } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { JobFacts } from '../metrics/job-store.ts';
import { type ControllerFacts, findingsOf } from './findings.ts';
import type { InstallationFinding, InstallationProblem } from './installation-finding.ts';
import { storeProblems } from './problem-store.ts';
import { readStoredFacts, type StoredFacts } from './stored-facts.ts';

/** The findings of one controller. */
export interface InstallationFindings {
  /**
   * The present findings. Facts of the controller are current. Facts of the database are at most `freshMs` old, and
   * stay as they were while it does not answer. Never rejects, and waits for at most `timeoutMs`.
   */
  read(): Promise<readonly InstallationFinding[]>;
  /** Logs the start and the end of findings, and stores those that raise alerts for the step alerts. */
  run(signal: AbortSignal): Promise<void>;
}

/** With the interval of the step alerts, an alert begins and ends within a minute. */
const everyMs = 15_000;
/** An answer is reused for this time, so that callers without a key cannot load the database. */
const freshMs = 5_000;
/** A database that needs longer counts as down. */
const timeoutMs = 2_000;

/** Creates the findings. `controllerFacts` are facts that only this controller has; `keyFile` examines its key file. */
export function createFindings(deps: {
  readonly kysely: Kysely<Tables>;
  readonly controllerId: string;
  readonly clock: Pick<Clock, 'sleep' | 'monoMs' | 'nowUs'>;
  readonly log: Logger;
  readonly readJobs: () => Promise<JobFacts | undefined>;
  readonly keyFile: () => Promise<ControllerFacts['keyFile']>;
  readonly controllerFacts: () => Omit<ControllerFacts, 'nowUs' | 'stored' | 'keyFile'>;
}): InstallationFindings {
  const { kysely, controllerId, clock, log } = deps;
  const parts = createJobParts({
    log,
    failed: 'problems of this installation cannot be stored',
    recovered: 'problems of this installation are stored again',
  });
  let known: { readonly stored?: StoredFacts; readonly keyFile: ControllerFacts['keyFile'] } = {
    keyFile: 'good',
  };
  const look = atMostEvery(freshMs, clock, async () => {
    const [stored, keyFile] = await Promise.all([readStoredFacts(kysely, deps.readJobs), deps.keyFile()]);
    known = { stored, keyFile };
  });
  const read = async () => {
    await withTimeout(clock, look());
    return findingsOf({ ...deps.controllerFacts(), ...known, stored: known.stored, nowUs: clock.nowUs() });
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
function problemsOf(findings: readonly InstallationFinding[]): readonly InstallationProblem[] {
  const byKind = new Map<string, InstallationProblem>();
  for (const { alert } of findings) if (alert && !byKind.has(alert.kind)) byKind.set(alert.kind, alert);
  return [...byKind.values()];
}

/** Findings that their own parts log, with more facts. */
const loggedElsewhere: ReadonlySet<FindingId> = new Set([
  'clock_wrong',
  'disk_low',
  'certificate_ending',
  'certificate_refused',
  'database_back',
  'database_moved',
  'tables_on_workers',
]);

/** Logs the start and the end of a finding, once each. */
function createReport(log: Logger): (findings: readonly InstallationFinding[]) => void {
  let reported: ReadonlyMap<FindingId, string> = new Map();
  return (findings) => {
    const present = new Map(
      findings.filter(({ id }) => !loggedElsewhere.has(id)).map(({ id, text }) => [id, text]),
    );
    for (const { id, severity, text, remedy } of findings)
      if (present.has(id) && !reported.has(id))
        log[severity === 'fault' ? 'error' : 'warn']({ finding: id, remedy }, text);
    for (const [id, text] of reported) if (!present.has(id)) log.info({ finding: id }, `over: ${text}`);
    reported = present;
  };
}

async function withTimeout(clock: Pick<Clock, 'sleep'>, work: Promise<void>): Promise<void> {
  const done = new AbortController();
  const late = clock.sleep(timeoutMs, done.signal).catch(() => {});
  await Promise.race([work, late]);
  done.abort();
}

/** Runs `work` at most once in this time and never concurrently, so that a hanging database gets one query. */
function atMostEvery(
  ms: number,
  clock: Pick<Clock, 'monoMs'>,
  work: () => Promise<void>,
): () => Promise<void> {
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
