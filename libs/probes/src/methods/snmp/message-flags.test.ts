import { expect, test } from 'vitest';
import { messageFlags } from './message-flags.ts';

/** The head of a message of v3: version, id, maximum size, flags, security model. */
const head = (flags: number) =>
  Buffer.from([0x30, 18, 2, 1, 3, 0x30, 13, 2, 1, 7, 2, 2, 4, 0, 4, 1, flags, 2, 1, 3]);

test.each([
  [0, { isAuthenticated: false, isEncrypted: false }],
  [1, { isAuthenticated: true, isEncrypted: false }],
  [7, { isAuthenticated: true, isEncrypted: true }],
])('the flags %i', (flags, expected) => {
  expect(messageFlags(head(flags))).toEqual(expected);
});

test('other versions and damaged heads have no flags', () => {
  const v2 = head(3);
  v2[4] = 1;
  expect(messageFlags(v2)).toBeUndefined();
  for (let length = 0; length < head(3).length; length += 1)
    expect(messageFlags(head(3).subarray(0, length)), `${length} bytes`).toBeUndefined();
  for (let at = 0; at < head(3).length; at += 1) {
    const damaged = head(3);
    damaged[at] = 0xff;
    expect(() => messageFlags(damaged)).not.toThrow();
  }
});
