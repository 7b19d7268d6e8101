// Receivers of one account's events and mails are slow, and a service that others need does not answer. Events and
// mails of another account leave within 5 s meanwhile. The system is one of its own, with this mail server and sign-in
// provider.
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { newAlertState } from '@vantage/alerts';
import { newId } from '@vantage/kernel';
import { startFakeMailServer } from '@vantage/testing/fake-mail-server';
import { type FakeReceiver, startFakeReceiver } from '@vantage/testing/fake-receiver';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import type { AttackFixture } from './harness/attack-fixture.ts';
import { callFrom } from './harness/https-call.ts';
import { useScenes } from './harness/scenes.ts';
import { openThirdAccount, pagesAwaited, writeNote } from './harness/third-account.ts';

const mostMs = 5_000;
const scene = { maxMs: 240_000 };
const limit = 900_000;

/** A mail takes as long as at a mail server that looks into it. */
const mailServer = await startFakeMailServer({ acceptMs: 150 });
const sockets = new Set<Socket>();
const provider = createServer((socket) => void sockets.add(socket.on('error', () => {})));
await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
const address = provider.address();
const providerPort = typeof address === 'object' ? address?.port : undefined;
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  provider.close();
  await mailServer[Symbol.asyncDispose]();
});

const scenes = useScenes({
  VANTAGE_ALLOW_PRIVATE_WEBHOOKS: 'true',
  VANTAGE_SMTP_URL: mailServer.url,
  VANTAGE_MAIL_FROM: 'vantage@example.org',
  VANTAGE_OIDC_ISSUER: `http://127.0.0.1:${providerPort}`,
  VANTAGE_OIDC_CLIENT_ID: 'vantage',
});

/** The time from `begin` until it is so, `mostMs` and a little more at most. */
async function timeUntil(isSo: () => boolean | Promise<boolean>, beganMs: number): Promise<number> {
  const endMs = beganMs + 90_000;
  while (!(await isSo()) && performance.now() < endMs) await delay(20);
  return performance.now() - beganMs;
}

function report(name: string, times: readonly number[]) {
  const shown = times.map((ms) => (ms / 1_000).toFixed(1)).join(', ');
  process.stdout.write(`  ${name}: another account's ${shown} s\n`);
  for (const ms of times) expect(ms, name).toBeLessThan(mostMs);
}

/** Accounts with a hundred hooks each, whose receiver is slow. */
async function accountsWithHooks(fixture: AttackFixture, accounts: number, receiver: FakeReceiver) {
  const all = await Promise.all(Array.from({ length: accounts }, () => openThirdAccount(fixture)));
  await Promise.all(
    all.map(async (one) => {
      for (let n = 0; n < 100; n += 1) await one.hook(receiver.url);
    }),
  );
  return {
    /** Events of all of them, until the signal aborts. */
    async happen(signal: AbortSignal) {
      while (!signal.aborted) {
        await Promise.all(all.map((one) => one.happen()));
        await delay(1_000);
      }
    },
    async [Symbol.asyncDispose]() {
      const nos = all.map(({ accountNo }) => accountNo);
      await sql`delete from hooks where account_no = any(${nos}::int[])`.execute(fixture.kysely);
      for (const one of all) one[Symbol.dispose]();
    },
  };
}

test.each([
  { name: '100 hooks, a receiver that takes 11 s', accounts: 1, answerMs: 11_000 },
  { name: '100 hooks, a receiver that never answers', accounts: 1, answerMs: 1e9 },
  { name: '8 accounts with 100 hooks each, receivers that take 11 s', accounts: 8, answerMs: 11_000 },
])('$name delay no event of another account', { timeout: limit }, async ({ name, accounts, answerMs }) => {
  await using slow = await startFakeReceiver((response) => {
    setTimeout(() => response.writeHead(204).end(), Math.min(answerMs, 60_000)).unref();
  });
  await using well = await startFakeReceiver();
  await using hostile = await accountsWithHooks(scenes.fixture, accounts, slow);
  using other = await openThirdAccount(scenes.fixture);
  await other.hook(well.url);
  await scenes.play(
    name,
    async () => {
      const ending = new AbortController();
      const happening = hostile.happen(ending.signal);
      const times: number[] = [];
      for (let n = 1; n <= 10; n += 1) {
        await delay(1_500);
        const [before, beganMs] = [well.requests.length, performance.now()];
        await other.happen();
        times.push(await timeUntil(() => well.requests.length > before, beganMs));
        if (times.some((ms) => ms > mostMs)) break;
      }
      ending.abort();
      await happening;
      report(name, times);
    },
    scene,
  );
});

const arrived = (domain: string, text: string) =>
  mailServer.messages.some(({ to, data }) => to.includes(domain) && data.includes(text));

test.each([
  { name: 'a note to 3,000 subscribers', accounts: 1, pages: 1, subscribers: 3_000 },
  { name: 'notes of 5 accounts to 1,000 subscribers each', accounts: 5, pages: 1, subscribers: 1_000 },
  { name: '100 status pages with subscribers', accounts: 1, pages: 100, subscribers: 1 },
  { name: '3 accounts with 60 status pages each', accounts: 3, pages: 60, subscribers: 1 },
])(
  '$name delays no mail of another account',
  { timeout: limit },
  async ({ name, accounts, pages, subscribers }) => {
    await scenes.play(
      name,
      async (fixture) => {
        using other = await openThirdAccount(fixture);
        const own = newId().slice(0, 12);
        const hostile = await Promise.all(
          Array.from({ length: accounts }, async () => {
            const one = await openThirdAccount(fixture);
            const ids: string[] = [];
            for (let n = 0; n < pages; n += 1) ids.push(await one.page(subscribers, 'crowd.example'));
            return { one, ids };
          }),
        );
        const page = await other.page(1, `${own}.example`);
        await pagesAwaited(fixture);
        for (const { one, ids } of hostile)
          if (pages === 1) for (const id of ids) await writeNote(one, id, 'We look.');
        await delay(6_000);
        const times: number[] = [];
        for (let n = 0; n < 3; n += 1) {
          const beganMs = performance.now();
          await sql`update page_news set due_us = 0`.execute(fixture.kysely);
          await writeNote(other, page, `note ${n}`);
          times.push(await timeUntil(() => arrived(own, `note ${n}`), beganMs));
        }
        const nos = hostile.map(({ one }) => one.accountNo);
        await sql`delete from pages where account_no = any(${nos}::int[])`.execute(fixture.kysely);
        for (const { one } of hostile) one[Symbol.dispose]();
        report(name, times);
      },
      scene,
    );
  },
);

test.each([1, 5])(
  'a sign-in provider that hangs keeps nobody from signing in by key (%i networks)',
  {
    timeout: limit,
  },
  async (networks) => {
    const name = `a sign-in provider that hangs, ${networks} networks`;
    await scenes.play(
      name,
      async ({ baseUrl, ca, neighbour }) => {
        const origin = new URL(baseUrl).origin;
        const stop = new AbortController();
        const hang = async (n: number) => {
          while (!stop.signal.aborted)
            await callFrom(`127.0.0.${80 + n}`, { url: `${origin}/sign-in`, ca, headers: {} });
        };
        const hanging = Array.from({ length: networks * 12 }, (_, n) => hang(n % networks));
        await delay(1_000);
        const times: number[] = [];
        for (const from of ['127.0.0.80', '127.0.0.99', '127.0.0.80', '127.0.0.99']) {
          const answer = await callFrom(from, {
            url: `${baseUrl}/session`,
            ca,
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ Key: neighbour.key }),
          });
          expect(answer.status, answer.text).toBe(200);
          times.push(answer.ms);
        }
        stop.abort();
        await Promise.all(hanging);
        report(name, times);
      },
      scene,
    );
  },
);

/** Alerts of an account that are due at this time, each of a device of its own. */
async function dueAlerts(
  { kysely }: AttackFixture,
  { accountNo, count, dueUs }: { accountNo: number; count: number; dueUs: number },
) {
  const state = JSON.stringify(newAlertState('active', 1));
  const { rows } = await sql<{ alert_no: number }>`
    with added as (
      insert into devices (device_id, account_no, method, url, sealed, short_name, frequency_min, timeout_s, retries,
        retry_delay_s, locations_given, changed_us, created_us, updated_us)
      select ${newId()} || n, ${accountNo}::int, 'TCP', '127.0.0.1:9', '', 'due', 1, 10, 1, 10, true, 1, 1, 1
      from generate_series(1, ${count}::int) n returning device_no, device_id)
    insert into alerts (alert_id, account_no, kind, device_no, device_id, severity, opened_us, since_us, state, due_us,
      opening)
    select device_id, ${accountNo}::int, 'device.down', device_no, device_id, 'warning', 1, 1, ${state}::jsonb,
      ${dueUs}::bigint, '{}' from added returning alert_no`.execute(kysely);
  return rows.map(({ alert_no }) => alert_no);
}

test('due alerts of one account that somebody locks delay no alert of another account', {
  timeout: limit,
}, async () => {
  const name = '300 due alerts that are locked';
  await scenes.play(
    name,
    async (fixture) => {
      const { kysely, rows } = fixture;
      const [locked, other] = [await rows.account(), await rows.account()];
      const soonUs = (Date.now() + 5_000) * 1_000;
      const nos = await dueAlerts(fixture, { accountNo: locked, count: 300, dueUs: soonUs });
      await kysely.transaction().execute(async (trx) => {
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
        await sql`select from alerts where alert_no = any(${nos}::bigint[]) for update`.execute(trx);
        await delay(Math.max(0, soonUs / 1_000 - Date.now()) + 1_000);
        const times: number[] = [];
        for (let n = 0; n < 3; n += 1) {
          const beganMs = performance.now();
          const dueUs = Date.now() * 1_000;
          const [own = 0] = await dueAlerts(fixture, { accountNo: other, count: 1, dueUs });
          const isDecided = async () => {
            const { rows: left } = await sql`
              select from alerts where alert_no = ${own} and due_us = ${dueUs}`.execute(kysely);
            return left.length === 0;
          };
          times.push(await timeUntil(isDecided, beganMs));
        }
        report(name, times);
      });
      await sql`delete from alerts where account_no = any(${[locked, other]}::int[])`.execute(kysely);
    },
    scene,
  );
});
