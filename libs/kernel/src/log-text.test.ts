import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from './log.ts';
import { logText, readLogLine } from './log-text.ts';
import { anyCharacter } from './testing/any-character.ts';

const { TZ } = process.env;
beforeEach(() => {
  process.env['TZ'] = 'Europe/Berlin';
});
afterEach(() => {
  if (TZ === undefined) delete process.env['TZ'];
  else process.env['TZ'] = TZ;
});

const textOf = (line: string) => {
  const entry = readLogLine(line);
  return entry === undefined ? undefined : logText(entry);
};

test.each([
  [
    { level: 40, time: '2026-03-01T09:00:00.005Z', name: 'agent', msg: 'a text', location: 'Oslo', n: 3 },
    '2026-03-01 10:00:00.005 WARN  agent: a text  location="Oslo"  n=3',
  ],
  [
    { level: 30, time: Date.UTC(2026, 6, 1), pid: 7, hostname: 'h', name: 'controller', msg: 'x' },
    '2026-07-01 02:00:00.000 INFO  controller: x',
  ],
  [
    { level: 50, time: '2026-03-01T09:00:00.000Z', name: 'a', msg: '\u001b[2Jgone\u009b' },
    String.raw`2026-03-01 10:00:00.000 ERROR a: \u001b[2Jgone�`,
  ],
])('%j is shown as text in local time', (fields, text) => {
  expect(textOf(JSON.stringify(fields))).toBe(text);
});

test.each(['', 'Error: x', '{"level":30', '{"level":30}', '{"time":"soon","level":30}', '[]', 'null'])(
  '%j is no line of a log',
  (line) => {
    expect(readLogLine(line)).toBeUndefined();
  },
);

test('a line that the log writes is read, with its time in ISO form, and its text is one line', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.jsonValue(), (msg, value) => {
      const lines: string[] = [];
      createLog('test', 'info', { write: (written) => void lines.push(written) }).warn({ value }, msg);
      const [line = ''] = lines;
      expect(line).toMatch(/"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/);
      expect(textOf(line)).toMatch(/^\d{4}-\d\d-\d\d [\d:.]{12} WARN {2}test: [^\p{Cc}]*$/u);
    }),
  );
});
