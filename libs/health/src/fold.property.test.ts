import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BaseInterval, fold, matters } from './fold.ts';
import { type BaseStatus, comparePoints, type Sighting, withObservers } from './result.ts';
import { type FoldState, newState } from './state.ts';
import { histories } from './testing/histories.ts';
import { baseBySecond, countSeconds, type History } from './testing/oracle.ts';
import { outages, timeline, uptime } from './uptime.ts';

const second = 1_000_000;

function storyOf(history: History, results = history.results) {
  const seed = newState(history.created * second);
  return fold(seed, withObservers(results, history.spans), history.settings);
}

function bySecond(intervals: readonly BaseInterval[], seconds: number): BaseStatus[] {
  return Array.from({ length: seconds }, (_, s) => {
    return intervals.findLast((interval) => Math.floor(interval.fromUs / second) <= s)?.status ?? 'Unknown';
  });
}

test('the fold says of every second what the oracle says', () => {
  fc.assert(
    fc.property(histories, (history) => {
      expect(bySecond(storyOf(history).intervals, history.seconds)).toEqual(baseBySecond(history));
    }),
    { numRuns: 3000 },
  );
});

test('order and repetition of the input change nothing', () => {
  const shuffled = histories.chain((history) =>
    fc.tuple(
      fc.constant(history),
      fc.shuffledSubarray([...history.results, ...history.results], {
        minLength: history.results.length * 2,
      }),
    ),
  );
  fc.assert(
    fc.property(shuffled, ([history, results]) => {
      expect(storyOf(history, results)).toEqual(storyOf(history));
    }),
    { numRuns: 2000 },
  );
});

/** As the store does it: each batch goes on from the last sure point before it, and rows are read from there on. */
function foldInBatches(history: History, arrivals: readonly Sighting[], size: number) {
  const genesis = newState(history.created * second);
  let points: FoldState[] = [];
  let intervals: readonly BaseInterval[] = [{ fromUs: genesis.sinceUs, status: genesis.status }];
  const rows: Sighting[] = [];
  const told = new Set<string>();
  for (let i = 0; i < arrivals.length; i += size) {
    const batch = arrivals.slice(i, i + size);
    rows.push(...batch);
    const state = points.at(-1) ?? genesis;
    const first = [...batch].sort(comparePoints).find((seen) => matters(state, seen, history.settings));
    if (first === undefined) continue;
    const kept = points.filter((point) => point.at !== null && comparePoints(point.at, first) < 0);
    const seed = kept.at(-1) ?? genesis;
    const story = fold(
      seed,
      rows.filter((seen) => comparePoints(seen, first) >= 0),
      history.settings,
    );
    points = [...kept, ...story.points];
    intervals = [...intervals.filter((one) => one.fromUs < seed.sinceUs), ...story.intervals];
    for (const event of story.events) told.add(`${event.type} ${event.cause.startUs} ${event.cause.agentNo}`);
  }
  return { state: points.at(-1) ?? genesis, intervals, told };
}

test('batches that arrive in any order, folded from sure points, end in the same story and tell all of it', () => {
  const arrivals = histories.chain((history) =>
    fc.tuple(
      fc.constant(history),
      fc.shuffledSubarray(withObservers(history.results, history.spans), {
        minLength: history.results.length,
      }),
      fc.integer({ min: 1, max: 6 }),
    ),
  );
  fc.assert(
    fc.property(arrivals, ([history, order, size]) => {
      const whole = storyOf(history);
      const pieces = foldInBatches(history, order, size);
      expect(pieces.state).toEqual(whole.state);
      expect(pieces.intervals).toEqual(whole.intervals);
      for (const event of whole.events) {
        expect(pieces.told).toContain(`${event.type} ${event.cause.startUs} ${event.cause.agentNo}`);
      }
    }),
    { numRuns: 3000 },
  );
});

test('uptime counts the seconds that the oracle counts, and the four parts are the period', () => {
  const asked = fc.tuple(histories, fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 200 }));
  fc.assert(
    fc.property(asked, ([history, from, lasts]) => {
      const { intervals } = storyOf(history);
      const facts = { ...history, createdUs: history.created * second, intervals };
      const period = { fromUs: from * second, toUs: (from + lasts) * second };
      const got = uptime(facts, period);
      const count = countSeconds(history, baseBySecond(history), from, from + lasts);
      expect(got.UpSeconds).toBe(count.Up);
      expect(got.DownSeconds).toBe(count.Down);
      expect(got.MaintenanceSeconds).toBe(count.Maint);
      expect(got.UnknownSeconds).toBe(count.Unknown);
      if (count.Down > 0) expect(got.Outages).toBeGreaterThan(0);
      const isDownShown = timeline(facts, period).some((span) => span.status === 'Down');
      expect(got.Outages > 0).toBe(isDownShown);
    }),
    { numRuns: 2000 },
  );
});

test('parts add up to the period to the second wherever the boundaries fall', () => {
  const crooked = fc.tuple(histories, fc.nat(150 * second), fc.nat(200 * second), fc.nat(second));
  fc.assert(
    fc.property(crooked, ([history, fromUs, lastsUs, shift]) => {
      const { intervals } = storyOf(history);
      const moved = history.observed.map((s) => ({ fromUs: s.fromUs + shift, toUs: s.toUs + shift }));
      const facts = { ...history, createdUs: history.created * second + shift, intervals, observed: moved };
      const period = { fromUs, toUs: fromUs + lastsUs };
      const u = uptime(facts, period);
      const sum = u.UpSeconds + u.DownSeconds + u.MaintenanceSeconds + u.UnknownSeconds;
      expect(sum).toBe(Math.floor(period.toUs / second) - Math.floor(period.fromUs / second));
      const spans = timeline(facts, period);
      for (const [i, span] of spans.entries()) expect(span.status).not.toBe(spans[i + 1]?.status);
    }),
    { numRuns: 1000 },
  );
});

test('outages are those that were told: each begins with a Down after an Up, and ends with the next Up', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { intervals, events } = storyOf(history);
      const told = events.filter(({ type }) => type === 'Up' || type === 'Down');
      const begins = told.filter(({ type }, i) => type === 'Down' && told[i - 1]?.type !== 'Down');
      expect(outages(intervals).map(({ fromUs }) => fromUs)).toEqual(begins.map(({ sinceUs }) => sinceUs));
    }),
    { numRuns: 2000 },
  );
});

test('at most one outage is open, and only while the device is Down or unseen after Down', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const story = storyOf(history);
      const open = outages(story.intervals).filter((outage) => outage.toUs === Number.POSITIVE_INFINITY);
      expect(open.length).toBeLessThanOrEqual(1);
      const { status, before } = story.state;
      expect(open.length === 1).toBe(status === 'Down' || before === 'Down');
    }),
    { numRuns: 1000 },
  );
});
