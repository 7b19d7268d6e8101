import { newId } from '@vantage/kernel';
import { hashCredential } from '@vantage/storage/secrets/credential';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { findSession, insertSession } from './session-store.ts';

// In one transaction the database's clock stands still, so the bounds are exact.

let rest: RestFixture;
let keyNo: number;
beforeAll(async () => {
  rest = await createRestFixture();
  const { accountNo } = await rest.account('mine');
  ({ keyNo } = await rest.key(accountNo, 'UR'));
});
afterAll(() => rest[Symbol.asyncDispose]());

const second = 1_000_000;
const hour = 3_600 * second;
const day = 24 * hour;
const nowUs = sql<number>`(extract(epoch from now()) * 1000000)::bigint`;

/** Uses a session with these times, microseconds from now. Returns the times after that, and the end that is found. */
function use({ used, began = -1 * hour, ends = hour }: { used: number; began?: number; ends?: number }) {
  return rest.db.kysely.transaction().execute(async (trx) => {
    const tokenHash = hashCredential(newId());
    const given = { sessionId: newId(), tokenHash, keyNo, isByProvider: false };
    const { sessionNo } = await insertSession(trx, given);
    await sql`update sessions set used_us = ${nowUs} + ${used}::bigint, began_us = ${nowUs} + ${began}::bigint,
      ends_us = ${nowUs} + ${ends}::bigint where session_no = ${sessionNo}`.execute(trx);
    const found = await findSession({ kysely: trx, isInTransaction: () => true }, tokenHash, '192.0.2.1');
    const { rows } = await sql<{ used: number; ends: number; now: number }>`
      select used_us - ${nowUs} as used, ends_us - ${nowUs} as ends, ${nowUs} as now from sessions where session_no = ${sessionNo}`.execute(
      trx,
    );
    const [row] = rows;
    return { used: row?.used, ends: row?.ends, found: found && found.endsUs - (row?.now ?? 0) };
  });
}

test.each([
  ['five minutes ago: it is not noted', { used: -300 * second }, { used: -300 * second, ends: hour }],
  ['more than five minutes ago', { used: -300 * second - 1 }, { used: 0, ends: 12 * hour }],
  ['long ago, a month after its begin', { used: -hour, began: 1 - 30 * day }, { used: 0, ends: 1 }],
  [
    'long ago, half a day before that',
    { used: -hour, began: -30 * day + 12 * hour },
    { used: 0, ends: 12 * hour },
  ],
])('a session that was used %s', async (_when, before, after) => {
  expect(await use(before)).toEqual({ ...after, found: after.ends });
});

test('a session whose time is up is none, and its use is not noted', async () => {
  expect(await use({ used: -hour, ends: 0 })).toEqual({ used: -hour, ends: 0, found: undefined });
  expect(await use({ used: -hour, ends: 1 })).toEqual({ used: 0, ends: 12 * hour, found: 12 * hour });
});

test('a key has 100 sessions; a further one ends the oldest, and what has ended counts for none', async () => {
  await rest.db.kysely.transaction().execute(async (trx) => {
    const begin = async () => {
      const given = { sessionId: newId(), tokenHash: hashCredential(newId()), keyNo, isByProvider: false };
      return (await insertSession(trx, given)).sessionNo;
    };
    const kept = async () => {
      const rows = await trx
        .selectFrom('sessions')
        .select('session_no')
        .where('key_no', '=', keyNo)
        .execute();
      return rows.map(({ session_no }) => session_no).sort((a, b) => a - b);
    };
    await trx.deleteFrom('sessions').where('key_no', '=', keyNo).execute();
    const begun: number[] = [];
    for (let n = 0; n < 101; n += 1) begun.push(await begin());
    expect(await kept()).toEqual(begun.slice(1));
    await sql`update sessions set ends_us = ${nowUs} where session_no = any(${begun.slice(50)}::int[])`.execute(
      trx,
    );
    begun.push(await begin());
    expect(await kept()).toEqual([...begun.slice(1, 50), ...begun.slice(101)]);
  });
});
