import { expect, test } from 'vitest';
import { compareRecords, queryName } from './dns-records.ts';

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

test.each(['ns.example:53', '192.0.2.1:53', 'user@ns.example', '-x.example', 'a..b', 'x'.repeat(64)])(
  '%s is no name to ask for',
  (text) => {
    expect(queryName(text)).toBeUndefined();
  },
);

test.each(['2001:db8::1', '192.0.2.1', '_dmarc.example', '0/25.2.0.192.in-addr.arpa', '*.example', '.'])(
  '%s may be asked for',
  (text) => {
    expect(queryName(text)).toBe(text);
  },
);
