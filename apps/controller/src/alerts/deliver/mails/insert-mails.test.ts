import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createRestFixture } from '../../../testing/rest-fixture.ts';
import { insertAddressMail } from './insert-mails.ts';

test('a mail to a person replaces only a waiting one of the same account, and has the turn of that account', async () => {
  await using rest = await createRestFixture();
  const { accountNo: first } = await rest.account('first');
  const { accountNo: second } = await rest.account('second');
  const { kysely } = rest.db;
  const mail = { address: 'ida@example.org', subject: 'Invitation to first', nowUs: rest.clock.nowUs() };
  const invite = (accountNo: number, body: string) =>
    insertAddressMail(kysely, { ...mail, accountNo, body, replaces: true });
  await invite(first, 'one');
  await invite(second, 'two');
  await invite(first, 'three');
  await insertAddressMail(kysely, { ...mail, accountNo: second, body: 'four' });
  const { rows } = await sql`select account_no, sender, body from mails order by account_no`.execute(kysely);
  expect(rows).toEqual([
    { account_no: first, sender: 'people', body: 'three' },
    { account_no: second, sender: 'people', body: 'two' },
  ]);
});
