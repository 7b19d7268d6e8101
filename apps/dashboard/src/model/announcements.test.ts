import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameTexts } from '../texts/frame-texts.ts';
import { type Announcement, announce, minBetweenMs, noAnnouncements } from './announcements.ts';

/** The devices that are Down from a second on. */
type Step = readonly [seconds: number, down: string];

/** Runs the driver of `announce` over steps of a day, and tells when what was said. */
function saidIn(steps: readonly Step[]): readonly { readonly at: number; readonly said: Announcement }[] {
  const said: { at: number; said: Announcement }[] = [];
  let state = noAnnouncements;
  let dueAt: number | undefined;
  let down: readonly { id: string; name: string }[] = [];
  const look = (at: number) => {
    const { next, due, dueAt: later } = announce(state, down, at);
    if (due !== undefined) said.push({ at, said: due });
    state = next;
    dueAt = later;
  };
  for (const [seconds, names] of [...steps, [1_000_000, ''] as const]) {
    if (dueAt !== undefined && dueAt < seconds * 1_000) look(dueAt);
    down = names.split('').map((id) => ({ id, name: id }));
    look(seconds * 1_000);
  }
  return said;
}

test.each<[string, readonly Step[], readonly string[]]>([
  ['what is Down first is no news', [[0, 'ab']], []],
  [
    'one',
    [
      [0, ''],
      [5, 'a'],
    ],
    ['5: a is Down. 1 device is down.'],
  ],
  [
    'a second one waits for its turn',
    [
      [0, ''],
      [5, 'a'],
      [8, 'ab'],
    ],
    ['5: a is Down. 1 device is down.', '15: b is Down. 2 devices are down.'],
  ],
  [
    'several are one sentence',
    [
      [0, 'x'],
      [5, 'xab'],
    ],
    ['5: a and b are Down. 3 devices are down.'],
  ],
  [
    'many are counted',
    [
      [0, ''],
      [5, 'abcde'],
    ],
    ['5: a, b, c and 2 more are Down. 5 devices are down.'],
  ],
  [
    'it was over before its turn',
    [
      [0, ''],
      [5, 'a'],
      [8, 'ab'],
      [9, 'a'],
    ],
    ['5: a is Down. 1 device is down.', '15: b was Down for a short time. 1 device is down.'],
  ],
  [
    'all are over',
    [
      [0, ''],
      [5, 'a'],
      [8, 'abc'],
      [9, ''],
    ],
    ['5: a is Down. 1 device is down.', '15: b and c were Down for a short time. No device is down.'],
  ],
  [
    'Down again',
    [
      [0, 'a'],
      [5, ''],
      [30, 'a'],
    ],
    ['30: a is Down. 1 device is down.'],
  ],
  [
    'an outage before and after the turn',
    [
      [0, ''],
      [5, 'a'],
      [7, 'ab'],
      [8, 'a'],
      [9, 'ab'],
    ],
    ['5: a is Down. 1 device is down.', '15: b is Down. 2 devices are down.'],
  ],
])('%s', (_, steps, sentences) => {
  expect(saidIn(steps).map(({ at, said }) => `${at / 1_000}: ${frameTexts.announce(said)}`)).toEqual(
    sentences,
  );
});

const steps = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 15 }), fc.subarray(['a', 'b', 'c', 'd'])), {
    minLength: 1,
    maxLength: 40,
  })
  .map((waits) => {
    let at = 0;
    return waits.map(([wait, down]): Step => {
      at += wait;
      return [at, down.join('')];
    });
  });

test('each outage is announced once and within ten seconds, sentences are ten seconds apart, and all are true', () => {
  fc.assert(
    fc.property(steps, (world) => {
      const said = saidIn(world);
      for (const [index, { at }] of said.entries())
        expect(at - (said[index - 1]?.at ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(minBetweenMs);
      for (const { at, said: each } of said) {
        const now = world.findLast(([seconds]) => seconds * 1_000 <= at)?.[1] ?? '';
        expect(each.total).toBe(now.length);
        expect(each.down.every((name) => now.includes(name))).toBe(true);
        expect(each.over.some((name) => now.includes(name))).toBe(false);
      }
      for (const [index, [seconds, down]] of world.entries()) {
        const before = world[index - 1]?.[1] ?? down;
        for (const name of down)
          if (!before.includes(name)) {
            const from = seconds * 1_000;
            const told = said.filter(
              ({ at, said: each }) =>
                at >= from && at <= from + minBetweenMs && [...each.down, ...each.over].includes(name),
            );
            expect(told.length, `${name} at ${seconds}`).toBeGreaterThan(0);
          }
      }
    }),
  );
});
