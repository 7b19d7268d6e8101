import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SimulatedDevice, simulate } from './testing/simulated-network.ts';

const runs = propertyRuns(200);
const second = 1_000;
/** When the cause begins. */
const causeMs = 1_000 * second;
const untilMs = 3_000 * second;
const longestCheckMs = 30 * second;

const settings = fc.record({
  everyMs: fc.integer({ min: 10, max: 300 }).map((s) => s * second),
  timeoutMs: fc.integer({ min: 100, max: longestCheckMs }),
  retries: fc.integer({ min: 0, max: 3 }),
  retryDelayMs: fc.integer({ min: 100, max: 60 * second }),
});
type DeviceSettings = typeof settings extends fc.Arbitrary<infer T> ? T : never;

/** A device whose first check after the cause is `afterMs` later. */
function device(
  one: DeviceSettings,
  { afterMs, master, fails }: { afterMs: number } & Pick<SimulatedDevice, 'master' | 'fails'>,
): SimulatedDevice {
  const everyMs = Math.max(one.everyMs, afterMs + 1);
  return { ...one, everyMs, master, fails, firstMs: (causeMs + afterMs) % everyMs };
}

/** The first check of a device after the cause: the dependent's is −120 … 120 s after the master's. */
const offsets = fc
  .record({ base: fc.integer({ min: 0, max: 60 * second }), offset: fc.integer({ min: -120, max: 120 }) })
  .map(({ base, offset }) => ({
    master: base + Math.max(0, -offset) * second,
    dependent: base + Math.max(0, offset) * second,
  }));
/** The router dies and stays dead, or comes back this long after every device had the time to notice. */
const ends = fc.option(fc.integer({ min: 0, max: 600 * second }));

/** How long a cause lasts that all of these devices notice. */
function lasting(
  devices: readonly DeviceSettings[],
  after: { master: number; dependent: number },
  extraMs: number | null,
) {
  if (extraMs === null) return untilMs;
  const sequences = devices.map(
    ({ retries, timeoutMs, retryDelayMs }) => (retries + 1) * (timeoutMs + retryDelayMs),
  );
  return Math.max(after.master, after.dependent) + sequences.reduce((a, b) => a + b) + extraMs;
}

test('one cause, seen at dependent and master in any sequence, at offsets of −120 … 120 s: the dependent never alerts', () => {
  let suppressed = 0;
  fc.assert(
    fc.property(settings, settings, offsets, ends, (master, dependent, after, extraMs) => {
      const fails = [[causeMs, causeMs + lasting([master, dependent], after, extraMs)]] as const;
      const [router, behind] = simulate(
        [
          device(master, { afterMs: after.master, master: null, fails }),
          device(dependent, { afterMs: after.dependent, master: 0, fails }),
        ],
        untilMs,
      );
      expect(behind?.alerts).toEqual([]);
      expect(router?.alerts).toEqual(router?.downs);
      suppressed += behind?.downs.length ?? 0;
    }),
    { numRuns: runs },
  );
  expect(suppressed).toBeGreaterThan(runs / 2);
});

test('a master that has a master itself: one cause alerts for the first of three only', () => {
  fc.assert(
    fc.property(settings, settings, settings, offsets, ends, (a, b, c, after, extraMs) => {
      const fails = [[causeMs, causeMs + lasting([a, b, c], after, extraMs)]] as const;
      const [first, second, third] = simulate(
        [
          device(a, { afterMs: after.master, master: null, fails }),
          device(b, { afterMs: after.dependent, master: 0, fails }),
          device(c, { afterMs: after.master, master: 1, fails }),
        ],
        untilMs,
      );
      expect([second?.alerts, third?.alerts]).toEqual([[], []]);
      expect(first?.alerts).toEqual(first?.downs);
    }),
    { numRuns: runs },
  );
});

test("an independent fault alerts within the master's Timeout + 5 s of its confirmation", () => {
  fc.assert(
    fc.property(settings, settings, offsets, (master, dependent, after) => {
      const fails = [[causeMs, untilMs]] as const;
      const [router, behind] = simulate(
        [
          device(master, { afterMs: after.master, master: null, fails: [] }),
          device(dependent, { afterMs: after.dependent, master: 0, fails }),
        ],
        untilMs,
      );
      expect(router?.downs).toEqual([]);
      expect(behind?.downs).toHaveLength(1);
      expect(behind?.alerts).toHaveLength(1);
      const lateMs = (behind?.alerts[0] ?? 0) - (behind?.downs[0] ?? 0);
      expect(lateMs).toBeLessThanOrEqual(master.timeoutMs + 5 * second);
    }),
    { numRuns: runs },
  );
});

test('one lost ping of a master with retries suppresses nothing, whenever it happens', () => {
  const lossAt = fc.integer({ min: -200, max: 400 });
  fc.assert(
    fc.property(settings, settings, offsets, lossAt, (master, dependent, after, lossS) => {
      const fromMs = causeMs + lossS * second;
      const lost = [[fromMs, fromMs + master.retryDelayMs]] as const;
      const [router, behind] = simulate(
        [
          device(
            { ...master, retries: master.retries + 1 },
            { afterMs: after.master, master: null, fails: lost },
          ),
          device(dependent, { afterMs: after.dependent, master: 0, fails: [[causeMs, untilMs]] }),
        ],
        untilMs,
      );
      expect(router?.downs).toEqual([]);
      expect(behind?.alerts).toHaveLength(1);
    }),
    { numRuns: runs },
  );
});

test('a fault that outlasts its master alerts after one sequence of its own, also where its checks last longer than their period', () => {
  fc.assert(
    fc.property(settings, settings, offsets, (master, dependent, after) => {
      const backMs = causeMs + lasting([master], after, 0);
      const [router, behind] = simulate(
        [
          device(master, { afterMs: after.master, master: null, fails: [[causeMs, backMs]] }),
          device(dependent, { afterMs: after.dependent, master: 0, fails: [[causeMs, 2 * untilMs]] }),
        ],
        2 * untilMs,
      );
      expect(router?.downs).toHaveLength(1);
      expect(behind?.alerts).toHaveLength(1);
      // A check of each of them may run when another one is requested.
      const graceMs = 5 * second;
      const judgedMs = 2 * (2 * master.timeoutMs + graceMs);
      const sequenceMs =
        (dependent.retries + 1) * (2 * dependent.timeoutMs + dependent.retryDelayMs + graceMs);
      const fromMs = Math.max(router?.ups[0] ?? 0, behind?.downs[0] ?? 0);
      expect(behind?.alerts[0]).toBeLessThanOrEqual(fromMs + judgedMs + sequenceMs);
    }),
    { numRuns: Math.ceil(runs / 4) },
  );
});
