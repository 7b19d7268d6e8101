import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@vantage/kernel';
import { z } from 'zod';
import type { Api } from '../../harness/api.ts';

const created = z.object({ device_id: z.string() });
const results = z.object({ Results: z.array(z.object({ Status: z.number(), Body: created })) });

/** The ports of the targets. */
export interface TargetPorts {
  readonly web: number;
  readonly swinging: number;
  /** undefined: no server is installed. */
  readonly dns: number | undefined;
  /** Whether this process may ping. */
  readonly pings: boolean;
  /** A tenth of them refuses at any time. */
  readonly turning: readonly number[];
}

/** The body of the n-th device. Of a hundred 14 come and go, 5 are slow or swing; DNS and PING where they can be. */
function deviceBody(n: number, to: TargetPorts): Record<string, unknown> {
  const kind = n % 100;
  const web = { Method: 'HTTP', URL: `http://127.0.0.1:${to.web}/${n}` };
  const tcp = { Method: 'TCP', URL: `127.0.0.1:${to.web}` };
  const swinging = `http://127.0.0.1:${to.swinging}`;
  const pick = (): Record<string, unknown> => {
    if (kind < 1) return { Method: 'HTTP', URL: `${swinging}/swing/${n}`, Attempts: 1 };
    if (kind < 5) return { Method: 'HTTP', URL: `${swinging}/slow/${n}`, Options: { SlowMs: 200 } };
    if (kind < 30) return web;
    if (kind < 44) return { Method: 'TCP', URL: `127.0.0.1:${to.turning[n % to.turning.length]}` };
    if (kind < 54 && to.dns !== undefined)
      return { Method: 'DNS', URL: `dns://127.0.0.1:${to.dns}/bench.test?type=A` };
    if (kind < 59 && to.pings) return { Method: 'PING', URL: '127.0.0.1', Options: { Count: 1 } };
    return tcp;
  };
  return { Timeout: 5, Frequency: 1, ShortName: `s${n}`, ...pick() };
}

/** Operations of one batch: a busy machine has done them within its limit of 60 s. */
const atOnce = 50;

/** Creates devices. Resolves with their ids. */
export async function createDevices(api: Api, count: number, to: TargetPorts): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let from = 0; from < count; from += atOnce) {
    const Operations = Array.from({ length: Math.min(atOnce, count - from) }, (_, at) => ({
      Method: 'POST',
      Path: '/devices',
      Body: deviceBody(from + at, to),
    }));
    const answer = results.parse(await api.ok('POST', '/batch', { Operations }));
    ids.push(...answer.Results.map(({ Body }) => Body.device_id));
  }
  return ids;
}

/** A webhook becomes the contact of all alerts. `secret` signs its messages. */
export async function notifyWebhook(api: Api, url: string, secret: string): Promise<void> {
  const id = z.record(z.string(), z.unknown()).transform((body) => Object.values(body)[0]);
  const contact = id.parse(
    await api.ok('POST', '/contacts', { Name: 'receiver', Type: 'webhook', Address: url, Secret: secret }),
  );
  const Steps = [{ DelayMinutes: 0, Contacts: [contact] }];
  const schedule = id.parse(await api.ok('POST', '/nschedules', { Name: 'Everybody', Steps }));
  await api.ok('PUT', '/account', { nschedule_id: schedule });
}

/** The work of people and programs during the checks. */
export interface Traffic {
  /** Requests so far, and those that failed. */
  readonly counts: {
    requests: number;
    readonly failures: { readonly atMs: number; readonly text: string }[];
  };
  /** Resolves when all loops have ended after the signal. */
  readonly ended: Promise<unknown>;
}

/** Begins to read, to edit, to start and stop maintenance, and to create and delete devices, until the signal. */
export function startTraffic(
  api: Api,
  ids: readonly string[],
  to: TargetPorts,
  signal: AbortSignal,
): Traffic {
  const counts: Traffic['counts'] = { requests: 0, failures: [] };
  let turn = 0;
  const next = () => {
    turn += 7;
    return ids[turn % ids.length] ?? '';
  };
  const ask = async (method: string, path: string, body?: unknown) => {
    counts.requests += 1;
    const answer = await api.call(method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const every = async (ms: number, act: (round: number) => Promise<unknown>) => {
    for (let round = 0; !signal.aborted; round += 1) {
      await act(round).catch((error: unknown) =>
        counts.failures.push({ atMs: Date.now(), text: messageOf(error) }),
      );
      await delay(ms, undefined, { signal }).catch(() => {});
    }
  };
  const guests: string[] = [];
  const loops = [
    every(1_000, (round) => ask('GET', readings(round, next()))),
    every(5_000, (round) =>
      ask(
        'PUT',
        `/devices/${next()}`,
        round % 2 === 0 ? { FullName: `n ${round}` } : { Timeout: 5 + (round % 3) },
      ),
    ),
    every(10_000, () => ask('POST', `/devices/${next()}/check`)),
    every(20_000, async () => {
      const id = next();
      await ask('PUT', `/devices/${id}/start-maintenance`, {});
      await delay(10_000, undefined, { signal }).catch(() => {});
      await ask('PUT', `/devices/${id}/stop-maintenance`, {});
    }),
    every(15_000, async (round) => {
      const body = { ...deviceBody(round, to), ShortName: `g${round}` };
      guests.push(created.parse(await ask('POST', '/devices', body)).device_id);
      if (guests.length > 20) await ask('DELETE', `/devices/${guests.shift()}`);
    }),
  ];
  return { counts, ended: Promise.all(loops) };
}

function readings(round: number, id: string): string {
  const paths = [
    `/devices?Limit=100&Offset=${(round * 100) % 900}`,
    `/devices/${id}/checks?Limit=100`,
    `/devices/${id}/uptime`,
    '/events?Limit=100',
    `/devices/${id}`,
    '/summary',
    '/alerts?Limit=100',
    `/devices?Search=${round % 1000}`,
    '/outages?Limit=50',
  ];
  return paths[round % paths.length] ?? '/summary';
}
