import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import type { RestFixture } from './rest-fixture.ts';

/** Adds a person who has not accepted the invitation yet, and returns the id. `change` gets the number of the key. */
export async function addUser(
  rest: RestFixture,
  accountNo: number,
  change: (keyNo: number) => Promise<void> = async () => {},
): Promise<string> {
  const { keyNo: key_no } = await rest.key(accountNo, 'UR');
  await change(key_no);
  const user_id = newId();
  await rest.db.kysely
    .updateTable('api_keys')
    .set({ hint: '', name: 'Ada' })
    .where('key_no', '=', key_no)
    .execute();
  const email = `${user_id}@example.org`;
  await rest.db.kysely
    .insertInto('users')
    .values({ user_id, account_no: accountNo, key_no, email })
    .execute();
  return user_id;
}

/**
 * A change of many devices that a key previewed and that goes on, so that later previews leave it; returns its token.
 */
export async function addDeviceChange(
  { db, clock }: Pick<RestFixture, 'db' | 'clock'>,
  accountNo: number,
  keyNo = 0,
): Promise<string> {
  const token = newId();
  await sql`insert into device_changes (token, account_no, key_no, touched_us, state, request, device_nos)
    values (${token}, ${accountNo}::int, ${keyNo}::int, ${clock.nowUs()}::bigint, 'Running', '{}', '{}')`.execute(
    db.kysely,
  );
  return token;
}
