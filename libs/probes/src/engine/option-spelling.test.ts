import { expect, test } from 'vitest';
import { http } from '../methods/http/http.ts';
import { tcp } from '../methods/tcp.ts';
import { spellOptions } from './option-spelling.ts';

test.each([
  [http, { expectJSONPath: '$.a', ipfamily: '4' }, { ExpectJSONPath: '$.a', IPFamily: '4' }],
  [http, { headers: { 'x-y': 'z' } }, { Headers: { 'x-y': 'z' } }],
  [http, { tls: { minDaysLeft: 3, ca: 'x' } }, { TLS: { MinDaysLeft: 3, CA: 'x' } }],
  [tcp, { steps: [{ send: 'a', expectRegex: 'b' }] }, { Steps: [{ Send: 'a', ExpectRegex: 'b' }] }],
  [http, { nobodyKnows: 1 }, { nobodyKnows: 1 }],
  [http, 'no object', 'no object'],
])('$0.method spells $1', (probe, given, spelled) => {
  expect(spellOptions(probe.options, given)).toEqual(spelled);
});
