import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fits, needsSettings, onlyTag, suggestionsFor, unknownValues } from './device-filter.ts';
import { chipsOf, closedValuesOf, filterFields, parseFilter, withField } from './filter-text.ts';
import type { DeviceState } from './state.ts';

const row = {
  id: 'a1',
  state: 'Down' as DeviceState,
  name: 'Shop, web front',
  words: 'shop, web front\nshop',
  method: 'HTTP',
  severity: 'warning',
  isEnabled: true,
  isRetrying: false,
  tags: ['berlin/rack-3', 'Lab'],
  locations: ['Oslo'],
};
const settings = new Map([
  [
    'a1',
    {
      url: 'https://shop.example/',
      source: 'net/berlin',
      key: 'cmdb-1',
      master: ['core router', 'core-0'],
      schedule: ['office hours'],
      frequency: '30s',
    },
  ],
]);
test.each([
  ['', true],
  ['status:down', true],
  ['status:up', false],
  ['status:up,down', true],
  ['status:up status:down', true],
  ['-status:down', false],
  ['tag:berlin/*', true],
  ['tag:berlin', false],
  ['-tag:berlin/*', false],
  ['-tag:oslo', true],
  ['tag:lab tag:berlin/*', true],
  ['tag:oslo OR tag:lab', true],
  ['tag:oslo OR status:down web', true],
  ['tag:oslo OR status:up', false],
  ['status:down tag:oslo OR tag:lab method:ping', false],
  ['tag:berlin/rack-3 method:http', true],
  ['tag:none', false],
  ['"web front"', true],
  ['-"web front"', false],
  ['location:oslo', true],
  ['location:berlin', false],
  ['https://shop', true],
  ['https://other', false],
  ['web mail', false],
  ['severity:warning,info', true],
  ['enabled:no', false],
  ['retrying:no', true],
  ['master:core-0', true],
  ['-master:none', true],
  ['master:none', false],
  ['schedule:"office hours"', true],
  ['source:net/berlin', true],
  ['key:cmdb-1', true],
  ['url:example', true],
  ['-url:example', false],
  ['frequency:30s', true],
])('the filter "%s" matches the device: %s', (text, expected) => {
  const byUrl = { word: 'https://shop', ids: new Set(['a1']) };
  expect(fits(parseFilter(text), row, { byUrl, settings })).toBe(expected);
});

test('no device matches a term about settings before these are read, not even with NOT', () => {
  expect(['url:x', '-url:x'].map((text) => fits(parseFilter(text), row))).toEqual([false, false]);
  expect(needsSettings(parseFilter('a OR -url:x'))).toBe(true);
  expect(needsSettings(parseFilter('status:down'))).toBe(false);
});

const values = fc.constantFrom('status:down', 'tag:lab', 'web', 'method:ping', 'severity:warning');

test('NOT is the opposite, and OR holds if one of its sides does', () => {
  fc.assert(
    fc.property(values, values, (a, b) => {
      const holds = (text: string) => fits(parseFilter(text), row);
      expect(holds(`-${a}`)).toBe(!holds(a));
      expect(holds(`${a} OR ${b}`)).toBe(holds(a) || holds(b));
      expect(holds(`-${a} -${b}`)).toBe(!holds(a) && !holds(b));
    }),
  );
});

test('any text is parsed, and its chips together are the filter', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      parseFilter(text);
      const chips = chipsOf(text);
      expect(parseFilter(chips.map(({ part }) => part).join(' '))).toEqual(parseFilter(text));
    }),
  );
});

test('a field that does not exist is named', () => {
  expect(parseFilter('stat:down status:dwon sort:speed').unknown).toEqual(['stat:', 'dwon', 'sort:speed']);
});

test('a field is replaced, and the rest of the text stays', () => {
  expect(withField('status:up web', 'status', 'down')).toBe('status:down web');
  expect(withField('status:up web', 'status', undefined)).toBe('web');
  expect(withField('-tag:lab tag:oslo', 'tag', 'berlin/*')).toBe('tag:berlin/* -tag:lab');
  expect(withField('tag:a OR tag:b', 'tag', 'c')).toBe('tag:c tag:a OR tag:b');
  expect(onlyTag(parseFilter(withField('', 'tag', 'first floor/*')))).toBe('first floor/*');
  expect(onlyTag(parseFilter('tag:a web'))).toBeUndefined();
});

test('a chip is a part of the filter, and takes it away', () => {
  expect(chipsOf('status:down tag:a OR tag:b "web front"')).toEqual([
    { part: 'status:down', without: 'tag:a OR tag:b "web front"' },
    { part: 'tag:a OR tag:b', without: 'status:down "web front"' },
    { part: '"web front"', without: 'status:down tag:a OR tag:b' },
  ]);
});

const known = (field: string) =>
  field === 'tag' ? ['berlin/rack-1', 'berlin/rack-2', 'first floor'] : closedValuesOf(field);

test.each([
  ['sta', ['status:']],
  ['web -sta', ['web -status:']],
  ['status:do', ['status:down ']],
  ['status:down,un', ['status:down,unknown ']],
  ['web tag:rack', ['web tag:berlin/rack-1 ', 'web tag:berlin/rack-2 ']],
  ['tag:fi', ['tag:"first floor" ']],
  ['status:down ', []],
  ['tag:"first fl', ['tag:"first floor" ']],
])('completes %j', (text, expected) => {
  expect(suggestionsFor(text, filterFields, known).map((each) => each.text)).toEqual(expected);
});

test('values that no device has are named', () => {
  expect(unknownValues(parseFilter('tag:rome tag:berlin/* status:down -tag:oslo/*'), known)).toEqual([
    { field: 'tag', value: 'rome' },
    { field: 'tag', value: 'oslo/*' },
  ]);
});
