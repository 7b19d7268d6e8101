import { expect, test } from 'vitest';
import { readSyslog } from './read-syslog.ts';

test.each<[string, number, string]>([
  ['<34>Oct 11 22:14:15 mymachine su: failed', 2, 'mymachine su: failed'],
  ['<165>1 2003-10-11T22:14:15.003Z host app 77 ID47 - \uFEFFAn event', 5, 'host app ID47 An event'],
  ['<0>1 - - - - - - x', 0, '- - - x'],
  [
    '<187>45: *Mar  1 18:46:11.123: %LINK-3-UPDOWN: Interface Gi0/1, changed state to down',
    3,
    '%LINK-3-UPDOWN: Interface Gi0/1, changed state to down',
  ],
  ['<189>Jan  2 2026 03:04:05: %SYS-5-CONFIG_I: Configured', 5, '%SYS-5-CONFIG_I: Configured'],
  ['<191>plain', 7, 'plain'],
])('%s', (line, severity, text) => {
  expect(readSyslog(Buffer.from(line))).toEqual({ severity, text });
});

test.each(['', 'no priority', '<192>too much', '<x>no number', '<1234>long'])('%j is no syslog', (line) => {
  expect(readSyslog(Buffer.from(line))).toBeUndefined();
});

test('a long line is cut', () => {
  expect(readSyslog(Buffer.from(`<3>${'x'.repeat(60_000)}`))?.text.length).toBeLessThan(2_049);
});
