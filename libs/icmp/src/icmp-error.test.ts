import { expect, it } from 'vitest';
import { icmpErrorReason, icmpErrorText } from './icmp-error.ts';

it.each([
  { family: 4, type: 3, code: 1, reason: 'unreachable', text: 'host unreachable' },
  { family: 4, type: 3, code: 4, reason: 'too-big', text: 'packet too big and not to be fragmented' },
  { family: 4, type: 11, code: 0, reason: 'time-exceeded', text: 'time to live exceeded' },
  { family: 4, type: 12, code: 0, reason: 'other', text: 'ICMP error type 12 code 0' },
  { family: 6, type: 1, code: 3, reason: 'unreachable', text: 'address unreachable' },
  { family: 6, type: 2, code: 0, reason: 'too-big', text: 'packet too big' },
  { family: 6, type: 3, code: 0, reason: 'time-exceeded', text: 'hop limit exceeded' },
] as const)('IPv$family type $type code $code means $reason', ({ family, type, code, reason, text }) => {
  expect(icmpErrorReason(family, type, code)).toBe(reason);
  expect(icmpErrorText(family, type, code)).toBe(text);
});
