import type { Clock } from '@vantage/kernel';
import { flagQuery } from '@vantage/rest-kit/field';
import type { OuterReply, OuterRoute } from '@vantage/rest-kit/outer-routes';
import { invalid } from '@vantage/rest-kit/problem';
import type { Database } from '@vantage/storage';
import type { InstallationFinding } from '../problems/installation-finding.ts';
import { accountMetrics } from './account-metrics.ts';
import { createReadiness } from './controller-readiness.ts';

const text = 'text/plain; charset=utf-8';
/** `devices` is an older name. */
const parameters = ['Devices', 'devices', 'api_key', '_'];
const shown = flagQuery('Each device too.');

/**
 * `/metrics` of the key's account, and the checks of load balancers: `/healthz` (the process runs) and `/readyz` (it
 * can serve).
 */
export function outerRoutes(deps: {
  readonly db: Pick<Database, 'readinessProblem'>;
  readonly clock: Clock;
  /** The findings for the operator. Never rejects, and answers within seconds. */
  readonly findings: () => Promise<readonly InstallationFinding[]>;
}): readonly OuterRoute[] {
  const { clock, findings } = deps;
  const problem = createReadiness(deps);
  return [
    {
      path: '/metrics',
      needsKey: true,
      async run({ accountNo }, query, db) {
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
 * A controller with a finding keeps serving, because all controllers may have the same wrong clock. A finding is a line
 * with its severity, and an indented line that says what to do.
 */
function readyReply(problem: string | undefined, findings: readonly InstallationFinding[]): OuterReply {
  const lines = findings.map((found) => `${found.severity}: ${found.text}\n  ${found.remedy}\n`).join('');
  return problem === undefined
    ? { status: 200, type: text, body: `ready\n${lines}` }
    : { status: 503, type: text, body: `not ready: ${problem}\n${lines}` };
}

/** Throws a Problem (1004) for an unknown parameter of a scrape. */
function readDevicesOption(query: URLSearchParams): boolean {
  const unknown = [...query.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    const message =
      'is not a parameter of /metrics. The parameters are Devices and api_key, for example ?Devices=Y';
    throw invalid([{ field: unknown, message }]);
  }
  const values = [...query.getAll('Devices'), ...query.getAll('devices')];
  const devices = values.length === 0 ? false : shown.safeParse(values.join(',')).data;
  if (devices === undefined) {
    const message = `is ${JSON.stringify(values.join(','))}. Send Y or N once, for example ?Devices=Y`;
    throw invalid([{ field: 'Devices', message }]);
  }
  return devices;
}
