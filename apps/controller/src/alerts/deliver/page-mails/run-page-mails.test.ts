import { createLog, newId, systemClock } from '@vantage/kernel';
import type { Database } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createEventFeed, createEventSource } from '../../../reading/history/index.ts';
import { runPageMails } from './run-page-mails.ts';

const soon = { timeout: 60_000, interval: 50 };
const log = createLog('pages', 'silent');
let db: Database;
useDatabase((opened) => {
  db = opened;
});

/** Pages of an account, each with a subscriber. */
async function pages(accountNo: number, count: number): Promise<readonly number[]> {
  const { rows } = await sql<{ page_no: number }>`
    with added as (
      insert into pages (page_id, account_no, name, path, access, shows, notes)
      select ${newId()} || n, ${accountNo}::int, 'Page', ${newId()} || n, 'Public', '{}', '[]'
      from generate_series(1, ${count}::int) n returning page_no
    ), subscribed as (
      insert into page_subscribers (page_no, email, asked_us, confirmed_us)
      select page_no, 'ada@example.org', 1, 1 from added)
    select page_no from added order by page_no`.execute(db.kysely);
  return rows.map(({ page_no }) => page_no);
}

/** The pages whose subscribers got mails. */
async function mailed(): Promise<readonly number[]> {
  const { rows } = await sql<{ page_no: number }>`
    select s.page_no from mails join page_subscribers s using (subscriber_no) order by s.page_no`.execute(
    db.kysely,
  );
  return rows.map(({ page_no }) => page_no);
}

const write = (pageNo: number, atUs: number) =>
  sql`update pages set notes = ${JSON.stringify([{ AtUs: atUs, Kind: 'Update', Text: 'We look.' }])}::jsonb
    where page_no = ${pageNo}`.execute(db.kysely);

test('the news of a page leave however many pages have none, cannot be told, or have news of another account', async () => {
  const fixtures = createFixtures(db.kysely);
  const [busy, other] = [await fixtures.account(), await fixtures.account()];
  const quiet = await pages(busy, 130);
  const [own = 0] = await pages(other, 1);
  const deviceNo = await fixtures.device(other, []);
  const happen = (accountNo: number, no: number) =>
    sql`
    insert into events (event_id, account_no, device_no, at_us, type, status, message, late, recorded_us)
    values (${newId()}, ${accountNo}, ${no}, 1, 'Down', 'Down', 'm', false, 1)`.execute(db.kysely);
  await using feed = createEventFeed({ db, clock: systemClock, log });
  const source = createEventSource(db, feed);
  let isBroken = false;
  const events: typeof source = {
    ...source,
    read: (ask) =>
      isBroken && ask.accountNo === busy ? Promise.reject(new Error('broken')) : source.read(ask),
  };
  const ending = new AbortController();
  const done = runPageMails(
    { db, clock: systemClock, log, timeScale: (time) => time / 100, events },
    ending.signal,
  );
  const told = async () => {
    const { rows } = await sql`select from page_news`.execute(db.kysely);
    return rows.length;
  };
  await happen(other, deviceNo);
  await vi.waitFor(async () => expect(await told()).toBe(131), soon);
  const busyDevice = await fixtures.device(busy, []);
  // The last page of the busy account has a note, and one of the other account a device that is down.
  const [last = 0] = quiet.slice(-1);
  await write(last, 5);
  await happen(other, deviceNo);
  await vi.waitFor(async () => expect(await mailed()).toEqual([last, own]), soon);
  // None of these can be told, and all stay due.
  isBroken = true;
  await happen(busy, busyDevice);
  await sql`update page_news set due_us = 0`.execute(db.kysely);
  await write(own, 6);
  await vi.waitFor(async () => expect(await mailed()).toEqual([last, own, own]), soon);
  isBroken = false;
  await vi.waitFor(async () => expect(await mailed()).toHaveLength(133), soon);
  ending.abort(new Error('the test ends'));
  await done;
});

test('where nothing happens, places move on together, and nothing is written otherwise', async () => {
  const fixtures = createFixtures(db.kysely);
  const [quiet, loud] = [await fixtures.account(), await fixtures.account()];
  const own = await pages(quiet, 3);
  const deviceNo = await fixtures.device(loud, []);
  await pages(loud, 1);
  let upTo = 10;
  const follow = async () => ({
    get upTo() {
      return upTo;
    },
    [Symbol.dispose]() {},
  });
  let looked = 0;
  const accountsBetween = async () => {
    looked += 1;
    return new Set<number>();
  };
  const ending = new AbortController();
  const events = { follow, accountsBetween, read: async () => [] };
  const done = runPageMails(
    { db, clock: systemClock, log, timeScale: (time) => time / 100, events },
    ending.signal,
  );
  const places = async () => {
    const { rows } = await sql<{ after_no: number }>`
      select distinct after_no from page_news where page_no = any(${own}::int[])`.execute(db.kysely);
    return rows.map(({ after_no }) => after_no);
  };
  await vi.waitFor(async () => expect(await places()).toEqual([10]), soon);
  upTo = 5_010;
  await vi.waitFor(() => expect(looked).toBe(1), soon);
  upTo = 5_011;
  await vi.waitFor(async () => expect(await places()).toEqual([5_011]), soon);
  expect(deviceNo).toBeGreaterThan(0);
  ending.abort(new Error('the test ends'));
  await done;
});
