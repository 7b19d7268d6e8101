import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { causesOf } from './causes.ts';
import { compareBy, fits, parseFilter, withField } from './device-filter.ts';
import { briefly, clockTime, inFull, milliseconds, percent } from './format.ts';
import { guessMethod } from './guess-method.ts';
import { percentile } from './percentile.ts';
import { type State, stateOf, states } from './state.ts';
import { tagTree } from './tag-tree.ts';
import { type Interval, runsOf, type Status, secondsOf } from './timeline.ts';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test.each([
  [briefly(41 * 60 + 5), '41 min'],
  [briefly(9 * 3_600), '9 h'],
  [briefly(31 * 86_400), '31 d'],
  [inFull(4_358), '1 h 12 min 38 s'],
  [inFull(0.4), '0 s'],
  [milliseconds(0.84), '0.8 ms'],
  [milliseconds(0.04), '0.04 ms'],
  [milliseconds(12.4), '12 ms'],
  [milliseconds(1_234), '1.2 s'],
  [milliseconds(null), '–'],
  [percent(99.9999), '99.999 %'],
  [percent(100), '100 %'],
  [clockTime('2026-02-25T23:38:03+01:00', '2026-02-25'), '23:38:03'],
  [clockTime('2026-02-25T23:38:03+01:00', '2026-02-26'), '02-25 23:38:03'],
])('%s is shown as %s', (shown, expected) => {
  expect(plain(shown)).toBe(expected);
});

test.each([
  ['https://www.example.org/path', 'HTTP', 'https://www.example.org/path', 'example'],
  ['192.0.2.1', 'PING', '192.0.2.1', '0-2-1'],
  ['router.cellar.example', 'PING', 'router.cellar.example', 'router'],
  ['ssh://admin@host-1.example:2222', 'SSH', 'admin@host-1.example:2222', 'host-1'],
  ['127.0.0.1:5432', 'TCP', '127.0.0.1:5432', '0-0-1'],
  ['[2001:db8::1]:25', 'SMTP', '[2001:db8::1]:25', 'db8-1'],
  ['example.org:443', 'HTTP', 'https://example.org:443', 'example'],
  ['example.org/health', 'HTTP', 'https://example.org/health', 'example'],
])('of %s the Method %s is guessed', (pasted, method, url, shortName) => {
  expect(guessMethod(pasted)).toMatchObject({ method, url, shortName });
});

test('a guessed short name is one that the API accepts', () => {
  fc.assert(
    fc.property(fc.webUrl(), (url) => {
      expect(guessMethod(url)?.shortName).toMatch(/^[0-9a-zA-Z-]{0,8}$/);
    }),
  );
});

describe('filters', () => {
  const row = {
    id: 'a1',
    state: 'Down' as State,
    name: 'Shop, web front',
    words: 'shop, web front\nshop',
    method: 'HTTP',
    tags: ['berlin/rack-3'],
    locations: ['Oslo'],
    sinceMs: 0,
  };
  test.each([
    ['', true],
    ['status:down', true],
    ['status:up', false],
    ['tag:berlin/*', true],
    ['tag:berlin', false],
    ['tag:berlin/rack-3 method:http', true],
    ['"web front"', true],
    ['location:oslo', true],
    ['location:berlin', false],
    ['https://shop', true],
    ['https://other', false],
    ['web mail', false],
  ])('%s', (text, expected) => {
    expect(fits(parseFilter(text), row, { word: 'https://shop', ids: new Set(['a1']) })).toBe(expected);
  });

  test('the worst comes first, and a cause before what is behind it', () => {
    const rowOf = (words: string, state: State, downBecause: string | null = null) => ({
      ...row,
      words,
      order: words,
      state,
      downBecause,
    });
    const rows = [rowOf('up', 'Up'), rowOf('access point', 'Down', 'router'), rowOf('router', 'Down')];
    expect(rows.toSorted(compareBy('worst')).map(({ words }) => words)).toEqual([
      'router',
      'access point',
      'up',
    ]);
  });

  test('a field that does not exist is named', () => {
    expect(parseFilter('stat:down status:dwon').unknown).toEqual(['stat:', 'dwon']);
  });

  test('a field is replaced, and the rest of the text stays', () => {
    expect(withField('status:up web', 'status', 'down')).toBe('status:down web');
    expect(withField('status:up web', 'status', undefined)).toBe('web');
    expect(parseFilter(withField('', 'tag', 'first floor/*')).tags).toEqual(['first floor/*']);
  });
});

test('a device counts once in each level of its tags', () => {
  const rows = [
    { id: '1', state: 'Down' as State, tags: ['berlin/a', 'berlin/b'] },
    { id: '2', state: 'Up' as State, tags: ['berlin/a'] },
  ];
  const [berlin] = tagTree(rows);
  expect(berlin).toMatchObject({ name: 'berlin', total: 2, down: 1, worst: 'Down' });
  expect(berlin?.branches.map(({ name, total, down }) => [name, total, down])).toEqual([
    ['a', 2, 1],
    ['b', 1, 1],
  ]);
});

test('what is Down because of a master stands behind the first cause, also in a circle', () => {
  const device = (id: string, downBecause: string | null) => ({
    id,
    downBecause,
    sinceMs: 0,
    state: 'Down' as State,
  });
  const chain = causesOf([device('a', null), device('b', 'a'), device('c', 'b'), device('d', null)]);
  expect(chain.map(({ row, behind }) => [row.id, behind.map(({ id }) => id)])).toEqual([
    ['a', ['b', 'c']],
    ['d', []],
  ]);
  const circle = causesOf([device('a', 'b'), device('b', 'a')]);
  expect(
    circle
      .flatMap(({ row, behind }) => [row, ...behind])
      .map(({ id }) => id)
      .sort(),
  ).toEqual(['a', 'b']);
});

test('a paused device says nothing else, and doubts are Up', () => {
  const facts = { status: 'Up', isEnabled: true, isRetrying: false, isPartial: false } as const;
  expect(stateOf({ ...facts, isEnabled: false, status: 'Down' })).toBe('Paused');
  expect(stateOf({ ...facts, isRetrying: true, isPartial: true })).toBe('Retrying');
  expect(stateOf({ ...facts, isPartial: true })).toBe('Partial');
  expect(stateOf({ ...facts, status: 'Down', isRetrying: true })).toBe('Down');
  expect(states[0]).toBe('Down');
});

test('the status that is open goes on after its seconds were read', () => {
  const read = {
    UpSeconds: 60,
    DownSeconds: 5,
    MaintenanceSeconds: 0,
    UnknownSeconds: 3,
    ExcludedSeconds: 2,
  };
  expect(secondsOf(read, 'Down', 4)).toEqual({ Up: 60, Down: 9, Maint: 0, Unknown: 3, Excluded: 2 });
  expect(secondsOf(read, undefined, 4)).toEqual({ Up: 60, Down: 5, Maint: 0, Unknown: 3, Excluded: 2 });
});

const status = fc.constantFrom<Status>('Up', 'Down', 'Maint', 'Unknown');

test('the worst status wins a pixel, and the open one reaches the right edge', () => {
  const ends = fc.array(fc.record({ at: fc.integer({ min: 1, max: 999 }), status }), { maxLength: 20 });
  fc.assert(
    fc.property(ends, fc.integer({ min: 5, max: 60 }), (list, width) => {
      const intervals = list
        .toSorted((a, b) => a.at - b.at)
        .map(
          (each, index, all): Interval => ({
            start: each.at,
            end: all[index + 1]?.at ?? 1_000,
            status: each.status,
          }),
        )
        .filter(({ start, end }) => end > start);
      const runs = runsOf(intervals, { from: 0, to: 1_000 }, width);
      const at = (x: number) => runs.find((run) => x >= run.x && x < run.x + run.width)?.status;
      const isDownIn = (x: number) =>
        intervals.some(
          (each: Interval) =>
            each.status === 'Down' &&
            each.start < ((x + 1) * 1_000) / width &&
            each.end > (x * 1_000) / width,
        );
      for (let x = 0; x < width; x += 1) if (isDownIn(x)) expect(at(x)).toBe('Down');
      if (list.length > 0) expect(at(width - 1)).toBeDefined();
      expect(
        runs.every(
          (run, index) => index === 0 || run.x >= (runs[index - 1]?.x ?? 0) + (runs[index - 1]?.width ?? 0),
        ),
      ).toBe(true);
    }),
  );
});

test('percentiles go by nearest rank', () => {
  expect(percentile([5, 1, 3], 0.5)).toBe(3);
  expect(percentile([1, 2, 3, 4], 0.95)).toBe(4);
  expect(percentile([], 0.5)).toBeUndefined();
});
