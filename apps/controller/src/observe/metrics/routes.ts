import type { Clock } from '@vantage/kernel';
import type { Db } from '../../platform/db/index.ts';
import { flagQuery } from '../../rest/http/field.ts';
import type { OuterReply, OuterRoute } from '../../rest/http/outer-routes.ts';
import { invalid } from '../../rest/http/problem.ts';
import type { Finding } from '../findings/findings.ts';
import { accountMetrics } from './account-metrics.ts';

const text = 'text/plain; charset=utf-8';
/** `devices` is an older name. */
const parameters = ['Devices', 'devices', 'api_key', '_'];
const shown = flagQuery('Each device by itself, too.');

/**
 * `/metrics` of the key's account, and what load balancers ask: `/healthz` (the process runs) and `/readyz` (it can
 * serve).
 */
export function outerRoutes({
  db,
  clock,
  findings,
}: {
  readonly db: Pick<Db, 'kysely' | 'readinessProblem'>;
  readonly clock: Clock;
  /** The findings for the operator. Never rejects, and answers within seconds. */
  readonly findings: () => Promise<readonly Finding[]>;
}): readonly OuterRoute[] {
  const problem = createReadiness({ db, clock });
  return [
    {
      path: '/metrics',
      needsKey: true,
      async run({ accountNo }, query) {
        const withDevices = readDevicesOption(query);
        const { type, text: body } = await accountMetrics(db, {
          accountNo,
          nowUs: clock.nowUs(),
          withDevices,
        });
        return { status: 200, type, body };
      },
    },
    {
      path: '/healthz',
      needsKey: false,
      isBounded: false,
      run: async () => ({ status: 200, type: text, body: 'ok\n' }),
    },
    {
      path: '/readyz',
      needsKey: false,
      isBounded: false,
      run: async () => readyReply(...(await Promise.all([problem(), findings()]))),
    },
  ];
}

/**
 * A controller with a finding goes on serving: all controllers may have the same wrong clock. A finding is a line with
 * its severity, and an indented line that says what to do.
 */
function readyReply(problem: string | undefined, findings: readonly Finding[]): OuterReply {
  const lines = findings.map((found) => `${found.severity}: ${found.text}\n  ${found.remedy}\n`).join('');
  return problem === undefined
    ? { status: 200, type: text, body: `ready\n${lines}` }
    : { status: 503, type: text, body: `not ready: ${problem}\n${lines}` };
}

/** Throws a Problem (1004) for what is no option of a scrape. */
function readDevicesOption(query: URLSearchParams): boolean {
  const unknown = [...query.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    const message =
      'is not a parameter of /metrics. The parameters are Devices and api_key, for example ?Devices=Y';
    throw invalid([{ field: unknown, message }]);
  }
  const given = [...query.getAll('Devices'), ...query.getAll('devices')];
  const devices = given.length === 0 ? false : shown.safeParse(given.join(',')).data;
  if (devices === undefined) {
    const message = `is ${JSON.stringify(given.join(','))}. Send Y or N once, for example ?Devices=Y`;
    throw invalid([{ field: 'Devices', message }]);
  }
  return devices;
}

/** An answer counts for others that ask within this time, so that strangers cannot make work for the database. */
const freshMs = 1_000;
/** A database that needs longer does not answer. */
const patienceMs = 2_000;

/** Creates the function that says why this controller cannot serve; undefined: it can. */
function createReadiness({
  db,
  clock,
}: {
  readonly db: Pick<Db, 'readinessProblem'>;
  readonly clock: Clock;
}): () => Promise<string | undefined> {
  return keptFor(freshMs, clock, async () => {
    const answered = new AbortController();
    const late = clock.sleep(patienceMs, answered.signal).then(
      () => 'The database does not answer.',
      () => undefined,
    );
    try {
      return await Promise.race([db.readinessProblem(), late]);
    } finally {
      answered.abort();
    }
  });
}

function keptFor<T>(ms: number, clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly untilMs: number; readonly answer: Promise<T> } | undefined;
  return () => {
    const nowMs = clock.monoMs();
    if (last === undefined || last.untilMs <= nowMs) last = { untilMs: nowMs + ms, answer: ask() };
    return last.answer;
  };
}
