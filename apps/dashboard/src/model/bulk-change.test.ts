import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type BulkChange,
  isEmptyChange,
  loadOf,
  partsOf,
  type SharedSettings,
  type StoredSettings,
  sourcesOf,
  undoOf,
} from './bulk-change.ts';

const stored = (more: Partial<StoredSettings> = {}): StoredSettings => ({
  Frequency: 5,
  FrequencySeconds: null,
  Timeout: 30,
  Attempts: 3,
  RetryDelay: 1,
  Severity: 'critical',
  Enabled: true,
  Locations: null,
  nschedule_id: null,
  mschedule_id: null,
  device_master_id: null,
  Source: null,
  ...more,
});
const row = (id: string, tags: readonly string[] = []) => ({ id, state: 'Up' as const, tags });

/** The effect of a change in the API. */
function applied(before: StoredSettings, tags: ReadonlySet<string>, change: BulkChange) {
  const { Frequency, FrequencySeconds, ...others } = change.Set ?? {};
  const rhythm =
    FrequencySeconds !== undefined
      ? { Frequency: 1 as const, FrequencySeconds }
      : Frequency !== undefined
        ? { Frequency, FrequencySeconds: null }
        : {};
  const without = [...tags].filter((tag) => change.RemoveTags?.includes(tag) !== true);
  return {
    settings: { ...before, ...rhythm, ...others },
    tags: new Set([...without, ...(change.AddTags ?? [])]),
  };
}

const rhythm = fc.oneof(
  fc.record({ Frequency: fc.constantFrom(2 as const, 5 as const), FrequencySeconds: fc.constant(null) }),
  fc.record({
    Frequency: fc.constant(1 as const),
    FrequencySeconds: fc.constantFrom(10 as const, 30 as const),
  }),
);
const tagList = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'));
const devices = fc.array(
  fc.record({
    rhythm,
    timeout: fc.integer({ min: 1, max: 3 }),
    locations: fc.option(fc.constant(['Oslo'])),
    tags: tagList,
  }),
  { minLength: 1, maxLength: 8 },
);
const sets: fc.Arbitrary<SharedSettings> = fc.constantFrom(
  {},
  { Frequency: 10 as const },
  { FrequencySeconds: 5 as const },
  { Timeout: 2, Locations: ['Rome'] },
  { Locations: null },
);

test('the undo of any change restores every device', () => {
  fc.assert(
    fc.property(devices, sets, tagList, (some, set, tags) => {
      const change: BulkChange = { Set: set, AddTags: tags.slice(0, 1), RemoveTags: tags.slice(1) };
      const before = new Map(
        some.map(({ rhythm: own, timeout, locations }, at) => [
          `${at}`,
          stored({ ...own, Timeout: timeout, Locations: locations }),
        ]),
      );
      const rows = some.map((each, at) => row(`${at}`, each.tags));
      const undo = undoOf(change, rows, before);
      for (const { id, tags: own } of rows) {
        const old = before.get(id) ?? stored();
        let now = applied(old, new Set(own), change);
        for (const { ids, change: back } of undo)
          if (ids.includes(id)) now = applied(now.settings, now.tags, back);
        expect(now.settings).toEqual(old);
        expect([...now.tags].sort()).toEqual([...own].sort());
      }
    }),
  );
});

test('devices with the same earlier settings are restored by one request', () => {
  const settings = new Map(['a', 'b', 'c'].map((id) => [id, stored({ Timeout: id === 'c' ? 9 : 30 })]));
  expect(undoOf({ Set: { Timeout: 5 } }, [row('a'), row('b'), row('c')], settings)).toEqual([
    { ids: ['a', 'b'], change: { Set: { Timeout: 30 } } },
    { ids: ['c'], change: { Set: { Timeout: 9 } } },
  ]);
});

test('maintenance that ran before is not ended by the undo', () => {
  const change = { Maintenance: { Duration: '01:00', Reason: null } };
  const rows = [row('a'), { ...row('b'), state: 'Maint' as const }];
  expect(undoOf(change, rows, new Map())).toEqual([{ ids: ['a'], change: { Maintenance: null } }]);
  expect(undoOf({ Maintenance: null }, rows, new Map())).toEqual([]);
  expect(undoOf({ Delete: true }, rows, new Map())).toEqual([]);
});

test('a request names at most 1,000 devices', () => {
  const ids = Array.from({ length: 2_500 }, (_, at) => `${at}`);
  const parts = partsOf({ ids, change: { Delete: true } });
  expect(parts.map((part) => part.ids.length)).toEqual([1_000, 1_000, 500]);
  expect(parts.flatMap((part) => part.ids)).toEqual(ids);
});

test('the load counts the checks of devices that are not paused', () => {
  const settings = new Map([
    ['a', stored({ Frequency: 1 })],
    ['b', stored({ Frequency: 1, FrequencySeconds: 10 })],
    ['c', stored({ Frequency: 1, Enabled: false })],
  ]);
  expect(loadOf(['a', 'b', 'c'], { Frequency: 5 }, settings)).toEqual({ before: 7, after: 0.4 });
  expect(loadOf(['a', 'c'], { Enabled: true }, settings)).toEqual({ before: 1, after: 2 });
});

test('devices are grouped by the file that manages them', () => {
  const settings = new Map([
    ['a', stored({ Source: 'net.yaml' })],
    ['b', stored()],
    ['c', stored({ Source: 'net.yaml' })],
  ]);
  expect([...sourcesOf(['a', 'b', 'c'], settings)]).toEqual([['net.yaml', ['a', 'c']]]);
});

test('a change without a part is empty', () => {
  expect(isEmptyChange({ Set: {}, AddTags: [] })).toBe(true);
  expect(isEmptyChange({ Maintenance: null })).toBe(false);
});
