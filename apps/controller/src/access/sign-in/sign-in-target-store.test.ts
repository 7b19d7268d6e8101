import { hashCredential } from '@vantage/storage/secrets/credential';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { findKeyTarget } from './sign-in-target-store.ts';

let rest: RestFixture;
let accountNo: number;
beforeAll(async () => {
  rest = await createRestFixture();
  ({ accountNo } = await rest.account('mine'));
});
afterAll(() => rest[Symbol.asyncDispose]());

const nowUs = sql<number>`(extract(epoch from now()) * 1000000)::bigint`;

// In one transaction the database's clock stands still, so the bound is exact.
test.each([
  ['has no end', null, false, 'wrong name or password'],
  ['ends a microsecond later', 1, false, 'wrong name or password'],
  ['ends now', 0, false, 'expired key'],
  ['ends now and was revoked', 0, true, 'revoked key'],
])('a refused key that %s', async (_what, endsInUs, isRevoked, reason) => {
  const { key, keyId, keyNo } = await rest.key(accountNo, 'UR');
  const found = await rest.db.kysely.transaction().execute(async (trx) => {
    await sql`update api_keys set expires_us = ${nowUs} + ${endsInUs}::bigint,
      revoked_at = case when ${isRevoked} then now() end where key_no = ${keyNo}`.execute(trx);
    return findKeyTarget(trx, hashCredential(key));
  });
  expect(found).toMatchObject({ accountNo, id: keyId, reason });
});

test('an unknown key is nobody', async () => {
  expect(await findKeyTarget(rest.db.kysely, hashCredential('none'))).toBeUndefined();
});
