import pg from 'pg';
import { startTarget, type Target } from '../../harness/target.ts';
import { type Ground, until } from '../ground.ts';
import { addresses } from '../network.ts';
import { p50p99, quantile } from '../percentiles.ts';
import { statuses } from '../rest.ts';
import type { Scene } from '../scene.ts';

/** Two outages of each device; three in short time would be flapping. */
const deviceCount = 100;
const rounds = 2;
const body = { Method: 'TCP', Frequency: 1, Timeout: 2, Retries: 2, RetryDelay: 6, Locations: ['A', 'B'] };
/** The most that deciding, writing and sending may add to the lower bound, milliseconds, at p99. */
const maxOverheadMs = 1000;
const roundMs = 60_000;

/** One outage of a device, milliseconds since 1970. */
interface Outage {
  readonly name: string;
  readonly diedMs: number;
  readonly arrivedMs: number;
}

/** From the death of a target to the arrival of the webhook. */
export const latency: Scene = {
  shows: `200 outages, 100 devices at once: the webhook arrives at most ${maxOverheadMs} ms (p99) after the last retry could have ended`,
  ground: { scale: 6, controllers: 2, hasSite: false },
  async play(ground) {
    // They end with the scene's process, after the verdict.
    const targets = new Map<string, Target>();
    for (let i = 0; i < deviceCount; i += 1)
      targets.set(`t-${i}`, await startTarget(addresses.controllers, 0));
    await Promise.all(
      [...targets].map(([ShortName, { port }]) =>
        ground.api.ok('POST', '/devices', {
          ...{ ...body, ShortName, URL: `${addresses.controllers}:${port}` },
          Options: { Steps: [{ Expect: '220' }] },
        }),
      ),
    );
    const differences: string[] = [];
    const settle = async (status: string, hooks: number) => {
      const did = await until(async () => {
        const all = await statuses(ground.api);
        return (
          [...targets.keys()].every((name) => all.get(name) === status) && ground.hooks.hooks.length >= hooks
        );
      }, roundMs);
      ground.note(`${ground.hooks.hooks.length} webhooks arrived`);
      if (!did)
        differences.push(`not all devices were ${status} with a webhook each after ${roundMs / 1000} s`);
    };
    await settle('Up', 0);
    const outages: Outage[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const sentBefore = ground.hooks.hooks.length;
      const diedMs = Date.now();
      for (const target of targets.values()) target.manner = 'reset';
      await settle('Down', sentBefore + deviceCount);
      for (const target of targets.values()) target.manner = 'ok';
      await settle('Up', sentBefore + 2 * deviceCount);
      for (const { type, about: name, atMs } of ground.hooks.hooks.slice(sentBefore))
        if (type === 'device.down') outages.push({ name, diedMs, arrivedMs: atMs });
    }
    const facts = await measure(ground, outages, differences);
    const messages = new Map(
      [...targets.keys()].flatMap((name): [string, number][] => [
        [`device.down ${name}`, rounds],
        [`device.up ${name}`, rounds],
      ]),
    );
    return { messages, facts, differences };
  },
};

/** Compares each arrival with its lower bound: end of the first failing check + Retries × (RetryDelay + answer time). */
async function measure(
  ground: Ground,
  outages: readonly Outage[],
  differences: string[],
): Promise<Record<string, string | number>> {
  await using stack = new AsyncDisposableStack();
  const client = new pg.Client({ connectionString: ground.system.quickstart().database_url });
  await client.connect();
  stack.defer(() => client.end());
  const rows = await Promise.all(
    outages.map(async (outage) => ({ ...outage, boundMs: await lowerBound(client, outage, ground.scale) })),
  );
  const overheads = rows.map(({ arrivedMs, boundMs }) => arrivedMs - boundMs);
  const p99 = quantile(overheads, 0.99);
  const unknown = overheads.filter(Number.isNaN).length;
  if (unknown > 0) differences.push(`the checks of ${unknown} outages are missing`);
  if (rows.length !== deviceCount * rounds) differences.push(`${rows.length} outages had a message`);
  if (!(p99 <= maxOverheadMs)) differences.push(`the overhead is ${p99.toFixed(0)} ms at p99`);
  return {
    outages: rows.length,
    'death to arrival': p50p99(rows.map(({ arrivedMs, diedMs }) => arrivedMs - diedMs)),
    'death to the lower bound': p50p99(rows.map(({ boundMs, diedMs }) => boundMs - diedMs)),
    'overhead over the lower bound': p50p99(overheads),
  };
}

/** Milliseconds since 1970; NaN where the checks of the outage are missing. */
async function lowerBound(client: pg.Client, { name, diedMs }: Outage, scale: number): Promise<number> {
  // Regular checks that fail while the retry sequence runs are not part of it.
  const { rows } = await client.query<{ startUs: string; endUs: string }>(
    `with bad as (select c.* from checks c join devices d using (device_no)
       where d.short_name = $1 and c.code <> 1 and c.end_us >= $2)
     select start_us as "startUs", end_us as "endUs" from bad
     where retry_id = (select retry_id from bad order by start_us limit 1) order by attempt limit $3`,
    [name, diedMs * 1000, body.Retries + 1],
  );
  const [first, ...retries] = rows;
  if (first === undefined || retries.length !== body.Retries) return Number.NaN;
  const delayMs = (body.RetryDelay * 1000) / scale;
  const answers = retries.map(({ startUs, endUs }) => (Number(endUs) - Number(startUs)) / 1000);
  return Number(first.endUs) / 1000 + answers.reduce((sum, answerMs) => sum + delayMs + answerMs, 0);
}
