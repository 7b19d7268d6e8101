import { createFakeClock } from '@vantage/kernel/testing';
import { expect, test } from 'vitest';
import type { AnyProbe } from '../../contract/probe.ts';
import {
  createSwitch,
  deviceChecks,
  type PortCounter,
  type SimulatedPort,
  serveSnmp,
} from '../../testing/index.ts';
import { createDeviceMemories } from './device-memory.ts';
import { createSnmp } from './snmp.ts';
import { loadNetSnmp } from './snmp-client.ts';

/** Random numbers that are the same in each run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const minutesOfDay = 24 * 60;

test('a day of a switch with wraps, restarts, new indexes and lost packets has no wrong rate', async () => {
  const clock = createFakeClock();
  const random = seeded(50);
  const seconds = () => clock.monoMs() / 1000;
  const simulated = createSwitch(seconds, { random });
  let isOff = false;
  // A repeated request whose answer is on its way would have other counters.
  let [asked, answered] = ['', ''];
  await using agent = await serveSnmp({
    objects: simulated.objects(),
    maxBytes: 8_192,
    answer: ({ bytes }) => {
      const request = bytes.toString('hex');
      if (isOff || request === answered || random() < 0.02) return 'drop';
      asked = request;
      return undefined;
    },
    isLost() {
      const isLost = random() < 0.02;
      if (!isLost) answered = asked;
      return isLost;
    },
    sent: (oids) => simulated.sent(oids),
  });
  const probe = createSnmp({ memories: createDeviceMemories(), load: loadNetSnmp });
  const check = deviceChecks(probe as AnyProbe, agent.url, clock);
  const options = {
    Interfaces: simulated.ports.map(({ name, alias }, at) =>
      at % 3 === 0 ? { Alias: alias } : { Name: name },
    ),
  };
  let before = new Map<SimulatedPort, LastSent>();
  const found = { rates: 0, gaps: 0, failed: 0, mostRequests: 0, worst: 0 };
  for (let minute = 0; minute < minutesOfDay; minute += 1) {
    // Not all checks start at a full hundredth of a second.
    const startMs = minute * 60_000 + random() * 10;
    if (clock.monoMs() < startMs) await clock.advance(startMs - clock.monoMs());
    // The device is off for two checks, and then starts anew.
    isOff = minute % 240 === 100 || minute % 240 === 101;
    if (minute % 240 === 102) {
      simulated.restart();
      agent.setObjects(simulated.objects());
    }
    // Only the network is off.
    if (minute % 240 >= 150 && minute % 240 <= 152) isOff = true;
    if (minute % 240 === 200) {
      simulated.insertModule();
      agent.setObjects(simulated.objects());
    }
    const seen = await check(options, { afterMs: 0 });
    if (isOff) {
      expect(seen.code).toBe(2);
      found.failed += 1;
      continue;
    }
    expect(seen, seen.text).toMatchObject({ code: 1 });
    found.mostRequests = Math.max(found.mostRequests, Number(seen.extended['Requests']));
    const now = new Map<SimulatedPort, LastSent>();
    for (const port of simulated.ports) {
      const sent = simulated.lastSent(port);
      const previous = before.get(port);
      now.set(port, sent);
      for (const [suffix, names] of kinds) {
        const truth = trueRate(previous, sent, names);
        const value = seen.values[`${port.name} ${suffix}`];
        if (truth === undefined) {
          expect(value, `minute ${minute}: ${port.name} ${suffix}`).toBeUndefined();
          found.gaps += 1;
          continue;
        }
        if (value === undefined) throw new Error(`minute ${minute}: ${port.name} has no ${suffix}`);
        // Counters are whole numbers, and sysUpTime has steps of 10 ms.
        const step = (suffix.endsWith('bit/s') ? 8 : 2) / 58;
        const error = Math.max(0, Math.abs(value - truth) - step) / truth;
        found.worst = Math.max(found.worst, error);
        expect(error, `minute ${minute}: ${port.name} ${suffix} ${value} for ${truth}`).toBeLessThan(0.001);
        found.rates += 1;
      }
    }
    before = now;
  }
  expect(found.mostRequests).toBeLessThanOrEqual(5);
  // The first check, and the first one after each of the six restarts.
  expect(found.gaps).toBe(7 * 48 * 4);
  expect(found.failed).toBe(6 * 5);
  expect(found.rates).toBe((minutesOfDay - found.failed - 7) * 48 * 4);
}, 600_000);

type LastSent = ReturnType<ReturnType<typeof createSwitch>['lastSent']>;

const kinds: readonly (readonly [suffix: string, names: readonly PortCounter[]])[] = [
  ['in bit/s', ['inOctets']],
  ['out bit/s', ['outOctets']],
  ['errors/s', ['inErrors', 'outErrors']],
  ['discards/s', ['inDiscards', 'outDiscards']],
];

/** The sum of the rates between two checks; undefined after a restart and at the first check. */
function trueRate(
  before: LastSent | undefined,
  now: LastSent,
  names: readonly PortCounter[],
): number | undefined {
  const rates = names.map((name) => {
    const [from, to] = [before?.[name], now[name]];
    if (from === undefined || to === undefined || from.boots !== to.boots) return Number.NaN;
    const perSecond = (to.total - from.total) / (to.atSeconds - from.atSeconds);
    return name.endsWith('Octets') ? perSecond * 8 : perSecond;
  });
  const sum = rates.reduce((total, rate) => total + rate, 0);
  return Number.isNaN(sum) ? undefined : sum;
}
