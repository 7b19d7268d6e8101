import { newId } from '@vantage/kernel';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createScenario, second, startUs } from './testing/scenario.ts';

let scene: Awaited<ReturnType<typeof createScenario>>;
beforeAll(async () => {
  scene = await createScenario();
});
afterAll(() => scene[Symbol.asyncDispose]());

/** A device whose only agent saw an error and did not continue. */
async function stalledDevice() {
  const agent = await scene.location(newId());
  const device = await scene.device([agent]);
  await scene.take([{ device, agent: agent.agentNo, at: 0, code: 1 }]);
  await scene.take([{ device, agent: agent.agentNo, at: 60, code: 3 }]);
  return { device, agentNo: agent.agentNo };
}

/** Devices of another account in the same state, which nobody checks, or the agent of the device `spanOf`. */
async function copies(device: number, count: number, spanOf: number | null): Promise<void> {
  const accountNo = await createFixtures(scene.kysely).account();
  await sql`
    with added as (
      insert into devices (device_id, account_no, method, url, sealed, short_name, frequency_min, timeout_s, retries,
        retry_delay_s, locations_given, changed_us, created_us, updated_us)
      select ${newId()} || n, ${accountNo}::int, 'TCP', '127.0.0.1:9', '', 'copy', 1, 10, 2, 1, true, 1, 1, 1
      from generate_series(1, ${count}::int) n returning device_no
    ), spans as (
      insert into assignment_spans
      select (jsonb_populate_record(s, jsonb_build_object('device_no', n.device_no))).*
      from assignment_spans s, added n where s.device_no = ${spanOf}::int)
    insert into device_state (device_no, status, since_us, retrying, state)
    select n.device_no, s.status, s.since_us, s.retrying, s.state from device_state s, added n
    where s.device_no = ${device}`.execute(scene.kysely);
}

test('many devices of one account that no agent can retry keep no retry of another account waiting', async () => {
  await copies((await stalledDevice()).device, 600, null);
  const { device, agentNo } = await stalledDevice();
  await scene.sweepRetries(startUs + 90 * second);
  expect(await scene.runRequests(device)).toMatchObject([{ kind: 'Retry', agent_no: agentNo, attempt: 1 }]);
});

test('many devices of one account that are due let the one of another account come first', async () => {
  const other = await stalledDevice();
  await copies(other.device, 600, other.device);
  const { device, agentNo } = await stalledDevice();
  await scene.sweepRetries(startUs + 90 * second);
  expect(await scene.runRequests(device)).toMatchObject([{ kind: 'Retry', agent_no: agentNo, attempt: 1 }]);
});
