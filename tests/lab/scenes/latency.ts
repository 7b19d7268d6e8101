import pg from 'pg';
import { startTarget, type Target } from '../../harness/target.ts';
import { createSchedule } from '../contacts.ts';
import { type LabFixture, until } from '../lab-fixture.ts';
import { addresses } from '../network.ts';
import { p50p99, quantile } from '../percentiles.ts';
import { statuses } from '../rest.ts';
import type { Scene } from '../scene.ts';

/** Two outages of each device; three in short time would be flapping. */
const deviceCount = 100;
const rounds = 2;
const body = { Method: 'TCP', Timeout: 2, Locations: ['A', 'B'] };
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
  fixture: { scale: 6, controllers: 2, hasSite: false },
  async play(fixture) {
    // They end with the scene's process, after the verdict.
    const targets = new Map<string, Target>();
    for (let i = 0; i < deviceCount; i += 1)
      targets.set(`t-${i}`, await startTarget(addresses.controllers, 0));
    // Only the webhook is measured. E-mails would be grouped, and an e-mail names each device once, whatever happened
    // to it meanwhile.
    const Steps = [{ DelayMinutes: 0, Contacts: [fixture.contacts.hook] }];
    const nschedule_id = await createSchedule(fixture.api, 'Webhook', Steps);
    await Promise.all(
      [...targets].map(([ShortName, { port }]) =>
        fixture.api.ok('POST', '/devices', {
          ...body,
          ...fixture.rhythm,
          nschedule_id,
          ShortName,
          URL: `${addresses.controllers}:${port}`,
          Options: { Steps: [{ Expect: '220' }] },
        }),
      ),
    );
    const differences: string[] = [];
    const settle = async (status: string, hooks: number) => {
      const did = await until(async () => {
        const all = await statuses(fixture.api);
        return (
          [...targets.keys()].every((name) => all.get(name) === status) && fixture.hooks.hooks.length >= hooks
        );
      }, roundMs);
      fixture.note(`${fixture.hooks.hooks.length} webhooks arrived`);
      if (!did)
        differences.push(`not all devices were ${status} with a webhook each after ${roundMs / 1000} s`);
    };
    await settle('Up', 0);
    const outages: Outage[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const sentBefore = fixture.hooks.hooks.length;
      const diedMs = Date.now();
      for (const target of targets.values()) target.manner = 'reset';
      await settle('Down', sentBefore + deviceCount);
      for (const target of targets.values()) target.manner = 'ok';
      await settle('Up', sentBefore + 2 * deviceCount);
      for (const { type, about: name, atMs } of fixture.hooks.hooks.slice(sentBefore))
        if (type === 'device.down') outages.push({ name, diedMs, arrivedMs: atMs });
    }
    const facts = await measure(fixture, outages, differences);
    const messages = new Map(
      [...targets.keys()].flatMap((name): [string, number][] => [
        [`device.down ${name}`, rounds],
        [`device.up ${name}`, rounds],
      ]),
    );
    return { messages, mails: new Map(), facts, differences };
  },
};

/**
 * A failed check. `retryId` is null for a regular check that opened no retry sequence of its agent, which had one
 * before.
 */
interface Failure {
  readonly name: string;
  readonly retryId: string | null;
  readonly attempt: number;
  readonly startUs: number;
  readonly endUs: number;
}

/**
 * Compares each arrival with its lower bound: end of the first failing check + Retries × (RetryDelay + answer time).
 */
async function measure(
  fixture: LabFixture,
  outages: readonly Outage[],
  differences: string[],
): Promise<Record<string, string | number>> {
  const failures = Map.groupBy(await readFailures(fixture), ({ name }) => name);
  const rows = outages.map((outage) => ({
    ...outage,
    boundMs: lowerBound(outage, failures.get(outage.name) ?? [], fixture),
  }));
  const overheads = rows.map(({ arrivedMs, boundMs }) => arrivedMs - boundMs);
  const p99 = quantile(overheads, 0.99);
  const [unknown, ...more] = rows.filter(({ boundMs }) => Number.isNaN(boundMs));
  if (unknown !== undefined)
    differences.push(
      `the checks of ${1 + more.length} outages are missing; ${unknown.name} has ${listed(unknown, failures)}`,
    );
  if (rows.length !== deviceCount * rounds) differences.push(`${rows.length} outages had a message`);
  if (!(p99 <= maxOverheadMs)) differences.push(`the overhead is ${p99.toFixed(0)} ms at p99`);
  return {
    outages: rows.length,
    'death to arrival': p50p99(rows.map(({ arrivedMs, diedMs }) => arrivedMs - diedMs)),
    'death to the lower bound': p50p99(rows.map(({ boundMs, diedMs }) => boundMs - diedMs)),
    'overhead over the lower bound': p50p99(overheads),
  };
}

/** The failed checks of an outage, for people: attempt and end, milliseconds after the death. */
function listed({ name, diedMs }: Outage, failures: ReadonlyMap<string, readonly Failure[]>): string {
  const own = (failures.get(name) ?? []).filter(({ endUs }) => endUs >= diedMs * 1000);
  return own
    .map(
      ({ attempt, retryId, endUs }) =>
        `${attempt} of ${retryId?.slice(-4) ?? 'none'} at ${(endUs / 1000 - diedMs).toFixed(0)}`,
    )
    .join(', ');
}

/** All failed checks, the earliest first. */
async function readFailures({ system }: LabFixture): Promise<readonly Failure[]> {
  await using stack = new AsyncDisposableStack();
  const client = new pg.Client({ connectionString: system.quickstart().database_url });
  await client.connect();
  stack.defer(() => client.end());
  const { rows } = await client.query<Failure>(
    `select d.short_name as name, c.retry_id as "retryId", c.attempt, c.start_us::float8 as "startUs", c.end_us::float8 as "endUs"
     from checks c join devices d using (device_no)
     where c.code <> 1 order by c.start_us`,
  );
  return rows;
}

/**
 * Milliseconds since 1970; NaN where the checks of the outage are missing. `failures` are those of its device. Pure.
 */
function lowerBound(
  { diedMs }: Outage,
  failures: readonly Failure[],
  { rhythm, scale }: Pick<LabFixture, 'rhythm' | 'scale'>,
): number {
  const first = failures.find(({ attempt, endUs }) => attempt === 0 && endUs >= diedMs * 1000);
  // The controller may have opened the retry sequence. Regular checks that fail while it runs are not part of it.
  const isLater = ({ attempt, startUs }: Failure) => attempt > 0 && startUs >= (first?.endUs ?? 0);
  const sequenceId = failures.find(isLater)?.retryId;
  const retries = failures.filter((each) => isLater(each) && each.retryId === sequenceId);
  const answers = new Map(retries.map(({ attempt, startUs, endUs }) => [attempt, (endUs - startUs) / 1000]));
  // Without retries the controller requests a check at the other Location.
  const retriesWanted = 'Retries' in rhythm ? rhythm.Retries : rhythm.Attempts;
  if (first === undefined || answers.size !== retriesWanted) return Number.NaN;
  const delayMs = (rhythm.RetryDelay * 1000) / scale;
  return first.endUs / 1000 + [...answers.values()].reduce((sum, answerMs) => sum + delayMs + answerMs, 0);
}
