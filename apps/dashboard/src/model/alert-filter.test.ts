import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alertQuery, alertRules, changeFilter, foldSymptoms, isNarrowed, viewOf } from './alert-filter.ts';
import { readListFilter } from './list-filter.ts';

const filterOf = (text: string) => readListFilter(alertRules, new URLSearchParams(text));

test('a view is a filter of its own, and each filter is a parameter of the API', () => {
  expect([viewOf(filterOf('')), viewOf(filterOf('state=open')), viewOf(filterOf('state=closed'))]).toEqual([
    'open',
    'open',
    'closed',
  ]);
  expect(alertQuery(filterOf('state=closed&severity=info&suppressed=no&shadow=yes&from=2026-02-01'))).toEqual(
    {
      State: 'Closed',
      Severity: 'info',
      Suppressed: 'false',
      Shadow: 'true',
      Timestamp1: '2026-02-01T00:00:00',
    },
  );
  expect([isNarrowed(filterOf('state=closed')), isNarrowed(filterOf('tag=a'))]).toEqual([false, true]);
});

test('a change of many means open alerts, and is not offered for filters that the API does not know', () => {
  expect(changeFilter(filterOf('tag=berlin&severity=critical'))).toEqual({
    State: 'Open',
    Tag: 'berlin',
    Severity: 'critical',
  });
  for (const text of ['state=closed', 'state=snoozed', 'suppressed=yes', 'shadow=no', 'from=2026-02-01'])
    expect(changeFilter(filterOf(text))).toBeUndefined();
});

test('each suppressed alert is below its cause or in the rest, and never in both', () => {
  type Alerts = Parameters<typeof foldSymptoms>[0];
  const alertOf = (n: number, kind = 'device.down') =>
    ({ alert_id: `a${n}`, device_id: `d${n}`, Kind: kind }) as Alerts[number];
  const world = fc.record({
    causes: fc.uniqueArray(fc.nat(4), { maxLength: 4 }),
    free: fc.uniqueArray(fc.nat(6), { maxLength: 5 }),
    masters: fc.array(fc.nat(6), { minLength: 10, maxLength: 10 }),
  });
  fc.assert(
    fc.property(world, ({ causes, free, masters }) => {
      const behindOf = (cause: number) =>
        masters.flatMap((master, at) => (master === cause ? [{ id: `d${10 + at}` }] : []));
      const suppressed = masters.map((_, at) => alertOf(10 + at));
      const folded = foldSymptoms(
        free.map((n) => alertOf(n)),
        suppressed,
        causes.map((n) => ({ row: { id: `d${n}` }, behind: behindOf(n) })),
      );
      const below = folded.causes.flatMap(({ behind }) => behind.map(({ id }) => id));
      const rest = folded.rest.map(({ device_id }) => device_id ?? '');
      const all = suppressed.map(({ device_id }) => device_id ?? '');
      expect([...below, ...rest].toSorted()).toEqual(all.toSorted());
      expect(folded.causes.map(({ alert }) => alert.alert_id)).toEqual(free.map((n) => `a${n}`));
    }),
  );
});
