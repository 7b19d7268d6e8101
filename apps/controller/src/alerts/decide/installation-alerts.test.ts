import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { second, startUs } from '../../results/status/testing/scenario.ts';
import { decideInstallation } from './installation-alerts.ts';
import { createAlertFixture } from './testing/alert-fixture.ts';

let fixture: Awaited<ReturnType<typeof createAlertFixture>>;
beforeAll(async () => {
  fixture = await createAlertFixture();
  await fixture.everybody();
});
afterAll(() => fixture[Symbol.asyncDispose]());
beforeEach(async () => {
  await sql`delete from notifications`.execute(fixture.kysely);
  await sql`delete from alerts`.execute(fixture.kysely);
  await sql`delete from installation_problems`.execute(fixture.kysely);
});

/** A controller that finds a clock wrong; it says so for so many seconds more. */
const says = (
  controller: string,
  seconds = 120,
  accountNos: readonly number[] | null = null,
  kind = 'clock.wrong',
) =>
  sql`insert into installation_problems (controller_id, kind, reason, ends_us, account_nos) values (${controller}, ${kind}, ${`by ${controller}`},
    (extract(epoch from clock_timestamp()) * 1e6)::bigint + ${seconds * second}::bigint, ${accountNos}::int[])`.execute(
    fixture.kysely,
  );
const falls = (controller: string) =>
  sql`delete from installation_problems where controller_id = ${controller}`.execute(fixture.kysely);

/** As many controllers decide at once. */
async function find(at: number, controllers = 1) {
  const one = () =>
    fixture.kysely.transaction().execute((trx) => decideInstallation(trx, startUs + at * second));
  await Promise.all(Array.from({ length: controllers }, one));
}

async function decide(at: number) {
  await find(at, 3);
  await fixture.decide(at);
}

const alerts = () =>
  fixture.kysely
    .selectFrom('alerts')
    .select(['severity', 'reason', 'closed_us'])
    .where('account_no', '=', fixture.accountNo)
    .where('kind', '=', 'clock.wrong')
    .execute();

test('clocks that are wrong are one alert for an account, until no controller finds one wrong', async () => {
  await decide(10);
  expect(await alerts()).toEqual([]);
  await says('a');
  await says('b');
  await decide(20);
  await decide(30);
  expect(await alerts()).toEqual([{ severity: 'warning', reason: 'by a', closed_us: null }]);
  expect(await fixture.messages(null)).toEqual(['clock.wrong']);
  await falls('a');
  await decide(40);
  expect(await fixture.messages(null)).toEqual(['clock.wrong']);
  await falls('b');
  await decide(50);
  await decide(60);
  expect(await alerts()).toMatchObject([{ closed_us: expect.any(Number) }]);
  expect(await fixture.messages(null)).toEqual(['clock.wrong', 'clock.wrong']);
  await says('a');
  await decide(70);
  expect(await alerts()).toHaveLength(2);
});

test('a clock that is wrong again before the end was decided has one alert, and nobody hears of an end', async () => {
  await says('a');
  await decide(100);
  await falls('a');
  await find(110);
  await says('a');
  await decide(120);
  expect(await alerts()).toMatchObject([{ closed_us: null }]);
  expect(await fixture.messages(null)).toEqual(['clock.wrong']);
});

test('a controller that is gone says nothing', async () => {
  await says('gone', -1);
  await decide(200);
  expect(await alerts()).toEqual([]);
});

test('a clock that only agents of other accounts find wrong is no alert, and one that its own do is', async () => {
  const other = fixture.accountNo + 1;
  await says('a', 120, [other]);
  await decide(300);
  expect(await alerts()).toEqual([]);
  await says('b', 120, [other, fixture.accountNo]);
  await decide(310);
  expect(await alerts()).toEqual([{ severity: 'warning', reason: 'by b', closed_us: null }]);
  await falls('b');
  await decide(320);
  expect(await alerts()).toMatchObject([{ closed_us: expect.any(Number) }]);
});

test('each kind of problem is an alert of its own, and says at its end that it is over', async () => {
  await says('a', 120, null, 'disk.low');
  await says('a', 120, null, 'backup.old');
  await says('a');
  await decide(400);
  const kinds = ['backup.old', 'clock.wrong', 'disk.low'];
  expect((await fixture.messages(null)).toSorted()).toEqual(kinds);
  await falls('a');
  await decide(410);
  await decide(420);
  expect((await fixture.messages(null)).toSorted()).toEqual(kinds.flatMap((kind) => [kind, kind]));
});
