import { systemClock } from '@vantage/kernel';
import { createAuthenticator } from '@vantage/rest-kit/authenticate';
import { hashCredential } from '@vantage/storage/secrets/credential';
import { expect, test } from 'vitest';

test('spellings of one time zone share it, so that nobody fills the memory with them', async () => {
  const spellings = ['Asia/Kolkata', 'asia/kolkata', 'ASIA/KOLKATA'];
  const rows = spellings.map((timezone, at) => ({
    hash: hashCredential(timezone),
    keyNo: at + 1,
    name: '',
    level: 'UR' as const,
    basicUser: null,
    basicHash: null,
    accountNo: at + 1,
    accountId: '',
    timezone,
    tagNos: null,
  }));
  const authenticator = createAuthenticator({
    findKey: async (hash) => rows.find((row) => row.hash.equals(hash)),
    findSession: async () => undefined,
    findPeople: async () => [],
    clock: systemClock,
    aliasHeaders: [],
    onLimited: () => {},
  });
  const sessions = await Promise.all(
    spellings.map((key) => authenticator.identifyKey(key, undefined, '192.0.2.1')),
  );
  expect(new Set(sessions.map(({ zone }) => zone)).size).toBe(1);
});
