// An accepted agent fills the memory of the controller with texts that it keeps to recognise repetitions.
import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import { copyDevices } from '../harness/copy-devices.ts';
import type { AttackFixture } from './harness/attack-fixture.ts';
import type { HostileStream } from './harness/hostile-agent.ts';
import { connectAgent, createHostileLocation, type Outgoing } from './harness/hostile-location.ts';
import { scenes } from './harness/shared.ts';

const devices = 5_000;
/** The longest text of which the controller keeps the last one. */
const textLength = 4_096;
const inBatch = 200;

/** Gives the Location of the agent as many devices more, copies of one. */
async function addDevices({ kysely, hostile, rows }: AttackFixture, agentNo: number): Promise<void> {
  const { location_no } = await kysely
    .selectFrom('agents')
    .select('location_no')
    .where('agent_no', '=', agentNo)
    .executeTakeFirstOrThrow();
  const first = await rows.device(hostile.accountNo, [location_no], {
    frequency_min: 60,
    locations_given: true,
  });
  const query = (text: string, values: readonly unknown[]) =>
    kysely.executeQuery(CompiledQuery.raw(text, [...values]));
  await copyDevices(query, first, devices - 1);
}

/** The numbers of the devices that the controller assigns, as soon as they are all. */
async function assigned(stream: HostileStream): Promise<number[]> {
  const deviceNos = new Set<number>();
  while (deviceNos.size < devices) {
    const part = await stream.until('assignments');
    if (part === undefined) throw new Error(`the stream ended with ${deviceNos.size} devices`);
    for (const { deviceNo } of part.value.upserts) deviceNos.add(deviceNo);
  }
  return [...deviceNos];
}

/** Sends heartbeats, so that the agent keeps its devices however long the scene takes. Disposing ends it. */
function keepBeating(stream: HostileStream): Disposable {
  let sequence = 0n;
  const timer = setInterval(() => {
    sequence += 1n;
    stream.send({ case: 'heartbeat', value: { sequence } });
  }, 5_000);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

test('good results with long texts for thousands of devices leave the controller within its memory', async () => {
  const { fixture } = scenes;
  const location = await createHostileLocation(fixture, 'texts', 1);
  const [agent] = location.agents;
  using session = await connectAgent(fixture, agent?.identity);
  using _heart = keepBeating(session.stream);
  await addDevices(fixture, agent?.agentNo ?? 0);
  await location.addDevice(); // the Location is planned anew
  const deviceNos = (await assigned(session.stream)).slice(0, devices);
  await scenes.play('texts of thousands of devices', async () => {
    const startUs = Date.now() * 1_000;
    let inserted = 0;
    for (let at = 0; at < deviceNos.length; at += inBatch) {
      const records = deviceNos.slice(at, at + inBatch).map((deviceNo): Outgoing => {
        const checkResult = String(deviceNo).padEnd(textLength, 'é');
        const value = { deviceNo, startUs: BigInt(startUs + at), revision: 1, resultCode: 1, checkResult };
        return { record: { case: 'result', value } };
      });
      session.stream.send({ case: 'batch', value: { batchId: BigInt(at + 1), records } });
      inserted += (await session.stream.until('ack'))?.value.inserted ?? 0;
    }
    expect(inserted).toBe(devices);
  });
});
