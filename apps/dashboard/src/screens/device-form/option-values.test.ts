import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Unsent } from './device-draft.ts';
import type { OptionSchema } from './method-schemas.ts';
import {
  escaped,
  listText,
  pairsOf,
  readList,
  readNumber,
  readPairs,
  readSteps,
  readText,
  stepsOf,
  unescaped,
  valueWords,
} from './option-values.ts';

const whole: OptionSchema = { type: 'integer', minimum: 1, maximum: 100 };
const statuses: OptionSchema = {
  type: 'array',
  items: { type: 'string', pattern: '^[1-5]\\d\\d(-[1-5]\\d\\d)?$' },
  examples: [['200', '300-399']],
};
const records: OptionSchema = { type: 'array', items: { type: 'string' } };
const headers: OptionSchema = {
  type: 'object',
  additionalProperties: { type: 'string' },
  propertyNames: { pattern: '^[A-Za-z-]+$' },
};
const dialogue: OptionSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: { Send: { type: 'string' }, SendHex: { pattern: '^([0-9a-f]{2})+$' } },
  },
};

test.each([
  ['', undefined],
  [' 7 ', 7],
  ['100', 100],
])('"%s" is the whole number %s', (text, value) => {
  expect(readNumber(text, whole)).toBe(value);
});

test.each(['soon', '0', '101', '1.5', 'Infinity', '0x'])(
  '"%s" is no whole number from 1 to 100, and is kept',
  (text) => {
    expect(readNumber(text, whole)).toEqual(new Unsent(text, 'A whole number from 1 to 100'));
  },
);

test('a list is written with commas, records that may have commas by line', () => {
  expect(readList('200, 300-399 ,', statuses)).toEqual(['200', '300-399']);
  expect(readList('["201"', statuses)).toBeInstanceOf(Unsent);
  expect(readList('0 issue "ca.example; a, b"\n10 mx', records)).toEqual([
    '0 issue "ca.example; a, b"',
    '10 mx',
  ]);
  expect(listText(['200', '204'], statuses)).toBe('200, 204');
});

test('a text that does not fit is kept, with an example', () => {
  const schema = { type: 'string', pattern: '^[A-Z]+$', examples: ['NXDOMAIN'] };
  expect(readText('nx', schema)).toEqual(new Unsent('nx', 'Not accepted. An example: NXDOMAIN'));
  expect(readText('NX', schema)).toBe('NX');
});

test('rows of names and values', () => {
  expect(
    readPairs(
      [
        ['Accept', 'x'],
        ['', ''],
      ],
      headers,
    ),
  ).toEqual({ Accept: 'x' });
  expect(readPairs([['', '']], headers)).toBeUndefined();
  for (const rows of [
    [['', 'value']],
    [['A b', '']],
    [
      ['Accept', 'x'],
      ['accept', 'y'],
    ],
  ] as [string, string][][])
    expect(readPairs(rows, headers)).toMatchObject({ typed: rows });
});

test('any rows are sent as they are, or kept as they were typed', () => {
  const row = fc.tuple(fc.constantFrom('A', 'a', 'B', '', 'no name'), fc.constantFrom('', 'x', 'y'));
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const filled = rows.filter(([name, value]) => name !== '' || value !== '');
      const read = readPairs(rows, headers);
      const shown = read instanceof Unsent ? read.typed : pairsOf(read);
      expect(shown).toEqual(filled);
    }),
  );
});

test('a text with line breaks is one line with escapes, and back', () => {
  expect(escaped('PING\r\n')).toBe('PING\\r\\n');
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('\\', 'r', 'n', '\r', '\n', '\t', 'ä', ' ') }), (text) => {
      expect(unescaped(escaped(text))).toBe(text);
      expect(escaped(text)).not.toMatch(/[\r\n]/);
    }),
  );
});

test('the steps of a dialogue', () => {
  const steps = [{ Send: 'PING\\r\\n' }];
  expect(readSteps(steps, dialogue)).toEqual([{ Send: 'PING\r\n' }]);
  expect(stepsOf([{ Send: 'PING\r\n' }])).toEqual(steps);
  expect(readSteps([{ Send: '' }], dialogue)).toMatchObject({ typed: [{ Send: '' }] });
  expect(readSteps([{ SendHex: 'xy' }], dialogue)).toMatchObject({ typed: [{ SendHex: 'xy' }] });
  expect(readSteps([], dialogue)).toBeUndefined();
});

test('rows with numbers and choices are sent with their types', () => {
  const schema: OptionSchema = {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        Name: { type: 'string' },
        Index: { type: 'integer', minimum: 1 },
        DeviceDown: { type: 'boolean' },
      },
    },
  };
  const rows = [
    { Name: 'Gi1', DeviceDown: 'true' },
    { Index: '7', DeviceDown: 'false', Name: '' },
  ];
  const read = readSteps(rows, schema);
  expect(read).toEqual([
    { Name: 'Gi1', DeviceDown: true },
    { Index: 7, DeviceDown: false },
  ]);
  expect(readSteps(stepsOf(read), schema)).toEqual(read);
  expect(readSteps([{ Index: '0' }], schema)).toMatchObject({ typed: [{ Index: '0' }] });
});

test.each([
  [undefined, 'not set'],
  [false, 'no'],
  ['a\nb\n', '2 lines'],
  [['200', '204'], '200, 204'],
  [{ Accept: 'x' }, 'Accept: x'],
  [[{ Send: 'a' }], '1 entry'],
  [new Unsent('soon', 'wrong'), 'soon'],
])('%j is "%s"', (value, words) => {
  expect(valueWords(value)).toBe(words);
});
test('a secret is not shown', () => {
  expect(valueWords('very secret', true)).toBe('***');
});
