import { dayUs } from '@vantage/domain';
import type { ShownSpan } from '@vantage/health';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gatherDays, gatherIncidents, gatherUptime, shownDays, worstDays } from './days.ts';

const statuses = ['Up', 'Down', 'Maint', 'Unknown'] as const;
const partUs = dayUs / 8;
const parts = fc.array(fc.constantFrom(...statuses), { minLength: 1, maxLength: 8 * 12 });

const daysOf = (spans: readonly ShownSpan[], fromUs: number) => gathered(gatherDays(fromUs), spans);
const all = { sinceUs: Number.NEGATIVE_INFINITY, most: 1_000 };
const incidentsOf = (spans: readonly ShownSpan[], nowUs: number) =>
  gathered(gatherIncidents({ ...all, nowUs }), spans);

/** The result for spans that come one by one. */
function gathered<T>(
  gathering: { add(spans: readonly ShownSpan[]): void; readonly result: T },
  spans: readonly ShownSpan[],
): T {
  for (const span of spans) gathering.add([span]);
  return gathering.result;
}

/** Parts of three hours from `fromUs` on as spans, equal neighbours joined. */
function spansOf(all: readonly (typeof statuses)[number][], fromUs: number): ShownSpan[] {
  const spans: ShownSpan[] = [];
  all.forEach((status, at) => {
    const [beginUs, endUs] = [fromUs + at * partUs, fromUs + (at + 1) * partUs];
    const last = spans.at(-1);
    if (last?.status === status) spans[spans.length - 1] = { ...last, toUs: endUs };
    else spans.push({ fromUs: beginUs, toUs: endUs, status });
  });
  return spans;
}

test('property: a day is Down, Unknown, Maint or Up by what it held, and has the time down', () => {
  fc.assert(
    fc.property(parts, fc.integer({ min: 0, max: 8 * 95 }), (all, shift) => {
      const days = daysOf(spansOf(all, shift * partUs), 0);
      expect(days).toHaveLength(shownDays);
      days.forEach(({ status, downSeconds }, day) => {
        const own = all.filter((_, at) => Math.floor((at + shift) / 8) === day);
        const shown = (['Down', 'Unknown', 'Maint', 'Up'] as const).find((each) => own.includes(each));
        expect(status).toBe(shown);
        expect(downSeconds).toBe(own.filter((each) => each === 'Down').length * 3 * 3_600);
      });
    }),
  );
});

test('property: each time Down is in one outage, and an outage holds no Up and no maintenance', () => {
  fc.assert(
    fc.property(parts, (given) => {
      const nowUs = given.length * partUs;
      const incidents = incidentsOf(spansOf(given, 0), nowUs);
      given.forEach((status, at) => {
        const [fromUs, toUs] = [at * partUs, (at + 1) * partUs];
        const inside = incidents.filter((one) => one.fromUs <= fromUs && toUs <= (one.toUs ?? nowUs));
        if (status === 'Down') expect(inside).toHaveLength(1);
        if (status === 'Up' || status === 'Maint') expect(inside).toHaveLength(0);
      });
      expect(incidents.filter(({ toUs }) => toUs === undefined).length).toBe(given.at(-1) === 'Down' ? 1 : 0);
    }),
  );
});

test('a day that was not observed for less than an hour is shown as the rest of it', () => {
  const minuteUs = dayUs / 1_440;
  const dayWith = (minutes: number, status: 'Up' | 'Maint') =>
    daysOf(
      [
        { fromUs: 0, toUs: minutes * minuteUs, status: 'Unknown' },
        { fromUs: minutes * minuteUs, toUs: dayUs, status },
      ],
      0,
    )[0]?.status;
  expect([dayWith(59, 'Up'), dayWith(60, 'Up'), dayWith(59, 'Maint')]).toEqual(['Up', 'Unknown', 'Maint']);
  expect(daysOf([{ fromUs: 0, toUs: minuteUs, status: 'Unknown' }], 0)[0]?.status).toBe('Unknown');
});

test('property: spans that are cut anywhere give the same days, percentage and outages', () => {
  fc.assert(
    fc.property(
      parts,
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 0, max: 90 }),
      (given, cut, since) => {
        const whole = spansOf(given, 0);
        const pieces = whole.flatMap(({ fromUs, toUs, status }) => {
          const middleUs = fromUs + (cut * partUs) / 8;
          return [
            { fromUs, toUs: middleUs, status },
            { fromUs: middleUs, toUs, status },
          ];
        });
        const nowUs = given.length * partUs;
        const ask = { nowUs, sinceUs: since * partUs, most: 3 };
        for (const make of [() => gatherDays(0), () => gatherUptime(nowUs), () => gatherIncidents(ask)])
          expect(gathered<unknown>(make(), pieces)).toEqual(gathered<unknown>(make(), whole));
        const kept = incidentsOf(whole, nowUs).filter(({ toUs }) => toUs === undefined || toUs > ask.sinceUs);
        expect(gathered(gatherIncidents(ask), pieces)).toEqual(kept.slice(-3));
      },
    ),
  );
});

test('property: a day of all services has the worst status and the longest time down of its services', () => {
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 4 }), (given) => {
      const devices = given.map((all) => daysOf(spansOf(all, 0), 0));
      const days = worstDays(devices);
      expect(days).toHaveLength(shownDays);
      days.forEach(({ status, downSeconds }, at) => {
        const own = devices.map((all) => all[at]);
        expect(status).toBe(
          (['Down', 'Unknown', 'Maint', 'Up'] as const).find((worst) =>
            own.some((day) => day?.status === worst),
          ),
        );
        expect(downSeconds).toBe(Math.max(0, ...own.map((day) => day?.downSeconds ?? 0)));
        expect(downSeconds > 0).toBe(status === 'Down');
      });
    }),
  );
});

test('a service that is new has no percentage until 1 % of the 90 days was observed', () => {
  const totalUs = shownDays * dayUs;
  const after = (us: number) => gathered(gatherUptime(totalUs), [{ fromUs: 0, toUs: us, status: 'Up' }]);
  expect(after(dayUs / 2)).toMatchObject({ coverage: 'little', percent: null, observed: 43_200 });
  expect(after(dayUs)).toMatchObject({ coverage: 'part', percent: 100 });
  expect(after(totalUs)).toMatchObject({ coverage: 'whole', percent: 100 });
});
