import { expect, test } from 'vitest';
import { compareRecords } from './dns-records.ts';

const key = 'mdsswUyr3DPW132mOi8V9xESWE8jTo0dxCjjnopKl+GqJxpVXckHAeF+';

test.each([
  ['TXT', ['v=spf1 -all'], ['v=spf1 -all']],
  ['TXT', ['"v=spf1 -all"'], ['v=spf1 -all']],
  ['TXT', ['"v=spf1 " "-all"'], ['v=spf1 -all']],
  ['TXT', ['"v=DKIM1; p=AAAA"  "BBBB"'], ['v=DKIM1; p=AAAABBBB']],
  ['TXT', ['"say \\"hi\\""'], ['say "hi"']],
  ['DNSKEY', [`257 3 13 ${key.slice(0, 20)} ${key.slice(20)}`], [`257 3 13 ${key}`]],
  ['CAA', ['0 issue ca.example'], ['0 issue "ca.example"']],
  ['MX', ['10  Mail.Example.', '20 b.example'], ['20 b.example', '10 mail.example']],
] as const)('%s %j is the same as %j', (type, expected, got) => {
  expect(compareRecords(type, expected, got)).toBeUndefined();
});

test('a difference says what is missing and what is too much', () => {
  expect(compareRecords('A', ['192.0.2.1', '192.0.2.2'], ['192.0.2.2', '192.0.2.3'])).toBe(
    'missing "192.0.2.1"; not expected "192.0.2.3"',
  );
});
