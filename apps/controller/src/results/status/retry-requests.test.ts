import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createScenario, second, startUs } from './testing/scenario.ts';

let scene: Awaited<ReturnType<typeof createScenario>>;
let place: { locationNo: number; agentNo: number };
let other: number;

beforeAll(async () => {
  scene = await createScenario();
  place = await scene.location('two agents');
  other = await scene.agent(place.locationNo, 'the other');
});
afterAll(() => scene[Symbol.asyncDispose]());

/** A device of the first agent that was Up and erred at 60 s. */
async function inTrouble() {
  const device = await scene.device([place], { retriesLocally: false });
  await scene.take([{ device, agent: place.agentNo, at: 0, code: 1 }]);
  await scene.take([{ device, agent: place.agentNo, at: 60, code: 3 }]);
  return device;
}

const openRetry = async (device: number) =>
  (await scene.runRequests(device)).find((order) => order.kind === 'Retry' && order.state === 'Open');
const types = async (device: number) => (await scene.events(device)).map((event) => event.type);

test('two agents of one Location retry alternately by run request, and the device is Down in time', async () => {
  const device = await inTrouble();
  expect(await scene.runRequests(device)).toMatchObject([
    { kind: 'Retry', agent_no: other, attempt: 1, not_before_us: startUs + 62 * second },
    { kind: 'RetryDelegated', agent_no: place.agentNo },
  ]);
  const first = await openRetry(device);
  await scene.take([
    { device, agent: other, at: 62, code: 3, attempt: 1, runRequestId: first?.run_request_id ?? '' },
  ]);
  const last = await openRetry(device);
  expect(last).toMatchObject({ agent_no: place.agentNo, attempt: 2, not_before_us: startUs + 64 * second });
  const runRequestId = last?.run_request_id ?? '';
  await scene.take([{ device, agent: place.agentNo, at: 64, code: 3, attempt: 2, runRequestId }]);
  expect(await scene.state(device)).toMatchObject({ status: 'Down', since_us: startUs + 61 * second });
  expect(await types(device)).toEqual(['Up', 'Error', 'Down']);
  expect(await openRetry(device)).toBeUndefined();
});

test('the second agent finds it well: recovered', async () => {
  const device = await inTrouble();
  const runRequestId = (await openRetry(device))?.run_request_id ?? '';
  await scene.take([{ device, agent: other, at: 62, code: 1, attempt: 1, runRequestId }]);
  expect(await types(device)).toEqual(['Up', 'Error', 'Recovered']);
  expect((await scene.runRequests(device)).filter((order) => order.state === 'Open')).toEqual([]);
});

test.each([9, 10])(
  'the second agent is inconclusive (%i): the same retry goes to the first, no Unknown',
  async (code) => {
    const device = await inTrouble();
    const runRequestId = (await openRetry(device))?.run_request_id ?? '';
    await scene.take([{ device, agent: other, at: 62, code, attempt: 1, runRequestId }]);
    expect(await openRetry(device)).toMatchObject({ agent_no: place.agentNo, attempt: 1 });
    expect(await types(device)).toEqual(['Up', 'Error']);
  },
);

test('the second agent gives no answer: the same retry goes to the first after Timeout + 5 s', async () => {
  const device = await inTrouble();
  await scene.sweepRetries(startUs + 76 * second);
  expect(await openRetry(device)).toMatchObject({ agent_no: other });
  await scene.sweepRetries(startUs + 78 * second);
  expect(await openRetry(device)).toMatchObject({ agent_no: place.agentNo, attempt: 1 });
});

test('an agent that waits for a run request gets it at once, though it is the only one left', async () => {
  await sql`update agents set state = 'Away' where agent_no = ${other}`.execute(scene.kysely);
  const device = await inTrouble();
  expect(await scene.runRequests(device)).toMatchObject([
    { kind: 'Retry', agent_no: place.agentNo, attempt: 1 },
  ]);
  await sql`update agents set state = 'Connected' where agent_no = ${other}`.execute(scene.kysely);
});

test('while the first agent is away the second one is asked', async () => {
  const device = await inTrouble();
  const first = await openRetry(device);
  await scene.take([
    { device, agent: other, at: 62, code: 3, attempt: 1, runRequestId: first?.run_request_id ?? '' },
  ]);
  await sql`update agents set state = 'Away' where agent_no = ${place.agentNo}`.execute(scene.kysely);
  await scene.sweepRetries(startUs + 90 * second);
  expect(await openRetry(device)).toMatchObject({ agent_no: other, attempt: 2 });
  await sql`update agents set state = 'Connected' where agent_no = ${place.agentNo}`.execute(scene.kysely);
});
