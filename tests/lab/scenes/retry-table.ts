import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { createSchedule } from '../contacts.ts';
import { eachFiveSeconds } from '../devices.ts';
import { type LabFixture, until } from '../lab-fixture.ts';
import { addresses } from '../network.ts';
import { eventTypes } from '../rest.ts';
import { type Expected, once, type Scene } from '../scene.ts';

/**
 * A TCP server that resets the next connections and answers all others. It ends with the scene's process, after the
 * verdict.
 */
interface CountdownTarget {
  readonly port: number;
  failNext(count: number): void;
}

async function startCountdown(): Promise<CountdownTarget> {
  let failures = 0;
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    if (failures > 0) {
      failures -= 1;
      socket.resetAndDestroy();
    } else socket.end('220 ready\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, addresses.controllers, resolve));
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    failNext(count) {
      failures = count;
    },
  };
}

const created = z.object({ device_id: z.string() });

/** A line of the table: a target that fails `k` times. */
interface Row {
  readonly retries: number;
  readonly k: number;
  readonly locations: readonly string[];
}

function rowsOf(allRetries: readonly number[]): readonly Row[] {
  return allRetries.flatMap((retries) =>
    [['A'], ['A', 'B']].flatMap((locations) =>
      Array.from({ length: retries + 2 }, (_, k) => ({ retries, k, locations })),
    ),
  );
}

const minuteRows = rowsOf([2, 3]);
/** No outage is confirmed by another check, by one, or by two. */
const rapidRows = rowsOf([0, 1, 2]);
const nameOf = ({ retries, k, locations }: Row) => `r${retries}k${k}${locations.length > 1 ? 'ab' : 'a'}`;

/** A target fails k times, for each k from none to one more than its retries. */
export const retryTable: Scene = {
  shows: 'a target fails k times, k = 0 … Retries + 1: a message exactly when k > Retries',
  fixture: { scale: 6, controllers: 1, hasSite: false },
  play: (fixture) =>
    playRows(fixture, minuteRows, ({ retries }) => ({ Frequency: 1, Retries: retries, RetryDelay: 6 })),
};

/** The same for devices that are checked every five seconds, with Attempts from one. */
export const rapidRetryTable: Scene = {
  shows:
    'a target that is checked every 5 s fails k times, k = 0 … Attempts: a message exactly when k = Attempts and all Locations agree',
  fixture: { scale: 2, controllers: 1, hasSite: false, rhythm: eachFiveSeconds },
  async play(fixture) {
    // E-mails within a minute would be grouped.
    const Steps = [{ DelayMinutes: 0, Contacts: [fixture.contacts.hook] }];
    const nschedule_id = await createSchedule(fixture.api, 'Webhook', Steps);
    const expected = await playRows(fixture, rapidRows, ({ retries }) => ({
      FrequencySeconds: 5,
      Attempts: retries + 1,
      RetryDelay: 1,
      nschedule_id,
    }));
    return { ...expected, mails: new Map() };
  },
};

/** A single Location's word is enough where no other one is online. */
const isAlarmed = ({ retries, k, locations }: Row) => k > Math.max(retries, locations.length - 1);

async function playRows(
  fixture: LabFixture,
  rows: readonly Row[],
  settingsOf: (row: Row) => Readonly<Record<string, number | string>>,
): Promise<Expected> {
  const { api, note, intervalMs } = fixture;
  const devices = await Promise.all(
    rows.map(async (row) => {
      const target = await startCountdown();
      const answer = await api.ok('POST', '/devices', {
        Method: 'TCP',
        URL: `${addresses.controllers}:${target.port}`,
        ShortName: nameOf(row),
        ...settingsOf(row),
        Timeout: 2,
        Locations: row.locations,
        Options: { Steps: [{ Expect: '220' }] },
      });
      return { row, target, id: created.parse(answer).device_id };
    }),
  );
  const typesOf = (id: string) => eventTypes(api, id);
  await until(async () => {
    const all = await Promise.all(devices.map(({ id }) => typesOf(id)));
    return all.every((types) => types.includes('Up'));
  }, 60_000);
  for (const { row, target } of devices) target.failNext(row.k);
  note(`${devices.length} targets fail 0 to 4 times`);
  await delay(4 * intervalMs);
  const differences = await Promise.all(
    devices.map(async ({ row, id }) => {
      const got = (await typesOf(id)).filter((type) => ['Up', 'Down', 'Error', 'Recovered'].includes(type));
      const wanted = [
        'Up',
        ...(row.k === 0 ? [] : ['Error', ...(isAlarmed(row) ? ['Down', 'Up'] : ['Recovered'])]),
      ];
      return got.join() === wanted.join()
        ? []
        : [`${nameOf(row)}: events ${got.join(', ')} instead of ${wanted.join(', ')}`];
    }),
  );
  const alarmed = rows.filter(isAlarmed).map(nameOf);
  const facts = Object.fromEntries(
    rows.map((row) => {
      const sent = fixture.hooks.hooks.filter((hook) => hook.about === nameOf(row)).map(({ type }) => type);
      return [
        `Retries ${row.retries}, ${row.k} failures, from ${row.locations.join(' and ')}`,
        sent.join(', ') || 'no message',
      ];
    }),
  );
  return {
    messages: new Map(once(['device.down', 'device.up'], alarmed)),
    facts,
    differences: differences.flat(),
  };
}
