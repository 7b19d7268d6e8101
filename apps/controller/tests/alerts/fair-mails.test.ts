import { createLog, newId, systemClock } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import { startFakeMailServer } from '@vantage/testing/fake-mail-server';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createEmail } from '../../src/alerts/channels/email.ts';
import { insertReportMails, insertSubscriberMails } from '../../src/alerts/deliver/mails/insert-mails.ts';
import { sendMails } from '../../src/alerts/deliver/mails/send-mails.ts';
import { createSubscriptionLinks } from '../../src/alerts/deliver/page-mails/subscription-links.ts';

const soon = { timeout: 60_000, interval: 20 };
const subscribers = 200;
let db: Db;
useDatabase((opened) => {
  db = opened;
});
const mail = { subject: 'News', body: 'It is down.' };

/** A page of an account with these confirmed subscribers, and with one who was only asked. */
async function page(accountNo: number, emails: readonly string[], asked: string) {
  const id = newId();
  const { rows } = await sql<{ subscriber_no: number }>`
    with page as (
      insert into pages (page_id, account_no, name, path, access, shows, notes)
      values (${id}, ${accountNo}, ${id}, ${id}, 'Public', '{}', '[]') returning page_no)
    insert into page_subscribers (page_no, email, asked_us, confirmed_us)
    select page_no, e, 1, case when e <> ${asked} then 1 end from page, unnest(${[asked, ...emails]}::text[]) e
    returning subscriber_no`.execute(db.kysely);
  const [first, ...confirmed] = rows.map(({ subscriber_no }) => subscriber_no);
  return { asked: [first ?? 0], confirmed };
}

async function report(accountNo: number) {
  const contactNo = await createFixtures(db.kysely).contact(accountNo, { address: 'report@example.org' });
  const { rows } = await sql<{ report_no: number }>`
    insert into reports (report_id, account_no, name, contact_nos, created_us)
    values (${newId()}, ${accountNo}, 'monthly', array[${contactNo}::int], 1) returning report_no`.execute(
    db.kysely,
  );
  return { reportNo: rows[0]?.report_no ?? 0, contactNos: [contactNo], html: '<p>' };
}

test.each([1, 5])(
  'mails to many subscribers of %i accounts let those of another account, reports and confirmations leave in turns',
  async (accounts) => {
    await using mailServer = await startFakeMailServer();
    const nowUs = systemClock.nowUs();
    const fixtures = createFixtures(db.kysely);
    const store = (subscriberNos: readonly number[]) =>
      insertSubscriberMails(db.kysely, { ...mail, subscriberNos, nowUs });
    const own = await fixtures.account();
    const many = Array.from({ length: subscribers }, (_, n) => `s${n}@example.org`);
    const busy = await page(own, many, 'asked@example.org');
    await store(busy.confirmed);
    for (let n = 1; n < accounts; n += 1)
      await store((await page(await fixtures.account(), many, 'a@example.org')).confirmed);
    // What is stored last waited shortest.
    await store(busy.asked);
    await insertReportMails(db.kysely, { ...mail, ...(await report(own)), nowUs: nowUs + 1 });
    await store((await page(await fixtures.account(), ['other@example.org'], 'a@example.org')).confirmed);
    const ending = new AbortController();
    const done = sendMails(
      {
        db,
        clock: systemClock,
        log: createLog('mails', 'silent'),
        channel: createEmail({ smtpUrl: mailServer.url, mailFrom: 'v@example.org' }),
        links: createSubscriptionLinks([Buffer.alloc(32, 5)]),
        baseUrl: () => 'https://vantage.example',
        mayGiveUp: () => true,
      },
      ending.signal,
    );
    await vi.waitFor(() => expect(mailServer.messages).toHaveLength(accounts * subscribers + 3), soon);
    ending.abort(new Error('the test ends'));
    await done;
    const placeOf = (name: string) => mailServer.messages.findIndex(({ to }) => to.includes(`${name}@`));
    for (const name of ['other', 'asked', 'report']) expect(placeOf(name), name).toBeLessThan(60);
    const { rows } = await sql`select from mails`.execute(db.kysely);
    expect(rows).toEqual([]);
  },
);
