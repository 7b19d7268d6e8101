import { Goodbye_Reason } from '@vantage/proto';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { hasty, nothing, soon, useGatewayFixture } from '../../src/agents/gateway/testing/gateway-fixture.ts';

const bench = useGatewayFixture();

function rowOf(agentNo: number) {
  return bench.db.kysely
    .selectFrom('agents')
    .selectAll()
    .where('agent_no', '=', agentNo)
    .executeTakeFirstOrThrow();
}

/** An agent of an account of its own. */
async function stranger() {
  const accountNo = await bench.rows.account();
  return bench.enrolAgent({ accountNo, locationNo: await bench.rows.location(accountNo) });
}

test.each([
  ['more records than a bigint holds', { backlogRecords: 2n ** 64n - 1n }],
  ['a lateness beyond a real', { latenessP50Ms: 1e300, latenessP99Ms: 1e-300 }],
  ['an offset at the end of its type', { clockOffsetUs: 2n ** 63n - 1n }],
  ['a long reason with NULs', { offlineReason: '\0'.repeat(5_000) }],
])(
  'a heartbeat with %s is stored within its columns, and so are those of other accounts',
  async (_what, values) => {
    const other = await stranger();
    await using server = await bench.gatewayWith(nothing, 'controller one', hasty);
    await using hostile = bench.connectTo(server.url);
    await using good = bench.connectTo(server.url, { identity: other.identity });
    await Promise.all([hostile.until('welcome'), good.until('welcome')]);
    hostile.send({ case: 'heartbeat', value: { sequence: 1n, checksSkipped: 3, ...values } });
    good.send({ case: 'heartbeat', value: { sequence: 1n, backlogRecords: 8n } });
    await vi.waitFor(async () => {
      expect(await rowOf(other.agentNo)).toMatchObject({ state: 'Connected', backlog_records: 8 });
      expect(await bench.agentRow()).toMatchObject({ state: 'Connected', checks_skipped: 3 });
    }, soon);
  },
);

test('an agent whose status cannot be stored loses its session, the status of others is written and the tick goes on', async () => {
  const other = await stranger();
  await using server = await bench.gatewayWith(nothing, 'controller one', hasty);
  await using offender = bench.connectTo(server.url);
  await using good = bench.connectTo(server.url, { identity: other.identity });
  await Promise.all([offender.until('welcome'), good.until('welcome')]);
  // The sum of the skipped checks is beyond its column at the next heartbeat.
  await bench.db.kysely
    .updateTable('agents')
    .set({ checks_skipped: sql`9223372036854775807` })
    .where('agent_no', '=', bench.agent.agentNo)
    .execute();
  offender.send({ case: 'heartbeat', value: { sequence: 1n, checksSkipped: 1 } });
  good.send({ case: 'heartbeat', value: { sequence: 1n, backlogRecords: 9n } });
  expect((await offender.until('goodbye')).reason).toBe(Goodbye_Reason.UNSPECIFIED);
  await vi.waitFor(
    async () => expect(await rowOf(other.agentNo)).toMatchObject({ backlog_records: 9 }),
    soon,
  );
  await bench.db.kysely
    .updateTable('agents')
    .set({ state: 'Revoked' })
    .where('agent_no', '=', other.agentNo)
    .execute();
  expect((await good.until('goodbye')).reason).toBe(Goodbye_Reason.REVOKED);
});

test.each([
  ['a NUL in its host name', { hostName: 'a\0b' }, /\[invalid_argument\] host_name/],
  ['a boot id of 50,000 characters', { bootId: 'x'.repeat(50_000) }, /\[invalid_argument\] boot_id/],
  [
    'a session counter beyond a bigint',
    { sessionCounter: 2n ** 64n - 1n },
    /\[invalid_argument\] session_counter/,
  ],
])('a Hello with %s is refused with the field that is wrong', async (_what, values, refusal) => {
  await using server = await bench.gatewayWith(nothing);
  await using stream = bench.connectTo(server.url, { hello: false });
  stream.send({ case: 'hello', value: { version: '1', sessionCounter: 1n, ...values } });
  await expect(stream.until('welcome')).rejects.toThrow(refusal);
  expect(await bench.agentRow()).toMatchObject({ state: 'New', session_counter: 0 });
});

test('a Hello with escapes and marks of direction is stored as a plain line', async () => {
  await using server = await bench.gatewayWith(nothing);
  await using stream = bench.connectTo(server.url, { hello: false });
  const hostName = 'a\u001b[31mb\u202ec';
  stream.send({ case: 'hello', value: { version: '1\u001b', sessionCounter: 1n, bootId: 'b', hostName } });
  await stream.until('welcome');
  expect(await bench.agentRow()).toMatchObject({ host_name: 'a[31mbc', version: '1' });
});
