import { expect, it } from 'vitest';
import { describeMissingRight } from './missing-right.ts';

it.each([
  {
    range: '1\t0\n',
    text: 'needs CAP_NET_RAW, or group 1000 in net.ipv4.ping_group_range (now 1 0: no group)',
  },
  { range: '0\t99', text: 'needs CAP_NET_RAW, or group 1000 in net.ipv4.ping_group_range (now 0 99)' },
  { range: undefined, text: 'needs CAP_NET_RAW, or group 1000 in net.ipv4.ping_group_range' },
])('a missing right is named with the setting as it is: $range', ({ range, text }) => {
  expect(describeMissingRight(1000, range)).toBe(text);
});
