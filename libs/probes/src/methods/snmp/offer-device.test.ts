import { advanceUntilEnded, createFakeClock } from '@vantage/kernel/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { AnyProbe } from '../../contract/probe.ts';
import { type AgentObject, agentObject, createSwitch, runTest, serveSnmp, tlv } from '../../testing/index.ts';
import { createDeviceMemories } from './device-memory.ts';
import { createSnmp } from './snmp.ts';
import { loadNetSnmp } from './snmp-client.ts';

const probe = createSnmp({ memories: createDeviceMemories(), load: loadNetSnmp }) as AnyProbe;

const text = z.string();
const number = z.number().nullable();
const facts = z.object({
  Offer: z.object({
    System: z.object({ Name: text, Description: text }),
    Interfaces: z.array(z.array(z.tuple([z.int(), text, text, text, text, number, number, number]))),
    Values: z.array(z.array(z.tuple([text, text, text, number, text]))),
    IsComplete: z.boolean(),
  }),
});

/** The offer in the facts of a check. */
function offerIn(extended: unknown) {
  const { Offer } = facts.parse(extended);
  return { ...Offer, Interfaces: Offer.Interfaces.flat(), Values: Offer.Values.flat() };
}

/** Asks a device under a fake clock. */
async function ask(
  url: string,
  clock: ReturnType<typeof createFakeClock>,
  timeoutMs = 20_000,
  options: object = {},
) {
  const running = runTest(probe, url, options, { clock, timeoutMs, isOffer: true });
  return advanceUntilEnded(clock, 100, running);
}

const sensors: readonly AgentObject[] = [
  agentObject('1.3.6.1.2.1.25.3.3.1.2.1', 'integer', 14),
  agentObject('1.3.6.1.2.1.25.3.3.1.2.2', 'integer', 61),
  agentObject('1.3.6.1.2.1.25.2.3.1.3.5', 'text', '/var'),
  agentObject('1.3.6.1.2.1.25.2.3.1.5.5', 'integer', 1_000),
  agentObject('1.3.6.1.2.1.25.2.3.1.6.5', 'integer', 250),
  // A temperature in tenths, and two sensors with one name.
  ...[7, 8].flatMap((index) => [
    agentObject(`1.3.6.1.2.1.99.1.1.1.1.${index}`, 'integer', 8),
    agentObject(`1.3.6.1.2.1.99.1.1.1.2.${index}`, 'integer', 9),
    agentObject(`1.3.6.1.2.1.99.1.1.1.3.${index}`, 'integer', 1),
    agentObject(`1.3.6.1.2.1.99.1.1.1.4.${index}`, 'integer', 271),
    agentObject(`1.3.6.1.2.1.47.1.1.1.1.7.${index}`, 'text', 'Inlet'),
  ]),
  agentObject('1.3.6.1.2.1.33.1.2.4.0', 'integer', 88),
  agentObject('1.3.6.1.2.1.43.11.1.1.6.1.1', 'text', 'Black toner'),
  agentObject('1.3.6.1.2.1.43.11.1.1.8.1.1', 'integer', 200),
  agentObject('1.3.6.1.2.1.43.11.1.1.9.1.1', 'integer', 50),
];

test('a switch offers its interfaces with their traffic now', async () => {
  const clock = createFakeClock();
  const simulated = createSwitch(() => clock.monoMs() / 1000, { random: () => 0.5 });
  const [first, second] = simulated.ports;
  if (!first || !second) throw new Error('no port');
  second.isShut = true;
  await using agent = await serveSnmp({ objects: simulated.objects() });
  const seen = await ask(agent.url, clock);
  expect(seen).toMatchObject({ code: 1, text: 'switch-1 offers 48 interfaces, 1 values' });
  const offer = offerIn(seen.extended);
  expect(offer).toMatchObject({
    System: { Name: 'switch-1', Description: 'Simulated Switch 48' },
    IsComplete: true,
  });
  expect(offer.Interfaces).toHaveLength(48);
  const [port, shut] = offer.Interfaces;
  expect(port?.slice(0, 6)).toEqual([10_001, 'Gi1/0/1', 'desk 1', 'Up', 'Up', 10_000_000_000]);
  expect(shut?.slice(1, 5)).toEqual(['Gi1/0/2', 'desk 2', 'Down', 'Down']);
  // A quarter of the speed on average.
  const bits = port?.[6] ?? 0;
  expect(bits).toBeGreaterThan(200_000_000);
  expect(bits).toBeLessThan(10_000_000_000);
});

test('known objects are offered with names for people, each once, and with their values', async () => {
  const clock = createFakeClock();
  await using agent = await serveSnmp({ objects: sensors });
  const seen = await ask(agent.url, clock);
  const offer = offerIn(seen.extended);
  expect(offer.Values.map((value) => value.slice(0, 4))).toEqual([
    ['hrProcessorLoad.1', 'CPU 1', '%', 14],
    ['hrProcessorLoad.2', 'CPU 2', '%', 61],
    ['hrStorageUsedPercent.5', 'used /var', '%', 25],
    ['entPhySensorValue.7', 'temperature Inlet', '°C', 27.1],
    ['entPhySensorValue.8', 'temperature Inlet (2)', '°C', 27.1],
    ['upsEstimatedChargeRemaining', 'battery charge', '%', 88],
    ['prtMarkerSuppliesPercent.1.1', 'Black toner', '%', 25],
  ]);
  // Each is accepted as an Option.
  const Values = offer.Values.map(([Name, Label, Unit]) => ({ Name, Label, Unit }));
  expect(probe.options.safeParse({ Values }).success).toBe(true);
});

test('v1 offers the same', async () => {
  const clock = createFakeClock();
  const simulated = createSwitch(() => clock.monoMs() / 1000, { random: () => 0.5, ports: 3 });
  await using agent = await serveSnmp({ objects: [...simulated.objects(), ...sensors] });
  const offer = offerIn((await ask(agent.url, clock, 20_000, { Version: 'v1' })).extended);
  expect(offer.Interfaces.map(([, name]) => name)).toEqual(['Gi1/0/1', 'Gi1/0/2', 'Gi1/0/3']);
  expect(offer.Values.length).toBe(8);
});

test('a device that answers nothing, or more than fits, ends in time', async () => {
  const clock = createFakeClock();
  await using silent = await serveSnmp({ objects: [], answer: () => 'drop' });
  expect(await ask(silent.url, clock, 2_000)).toMatchObject({ code: 2 });
  const many = Array.from({ length: 900 }, (_, at) => at + 1).flatMap((index): readonly AgentObject[] => [
    agentObject(`1.3.6.1.2.1.2.2.1.2.${index}`, 'text', `interface ${'x'.repeat(150)} ${index}`),
    agentObject(`1.3.6.1.2.1.2.2.1.8.${index}`, 'integer', 1),
    agentObject(`1.3.6.1.2.1.25.3.3.1.2.${index}`, 'integer', 1),
  ]);
  await using large = await serveSnmp({ objects: many });
  const { extended } = await ask(large.url, clock, 60_000);
  const offer = offerIn(extended);
  expect(offer.IsComplete).toBe(false);
  expect(offer.Values).toHaveLength(100);
  expect(offer.Interfaces.length).toBeGreaterThan(200);
  expect(JSON.stringify(extended).length).toBeLessThan(64 * 1024);
});

test('a device whose answers are malformed is refused', async () => {
  await using agent = await serveSnmp({ objects: [], answer: () => tlv(0x30, Buffer.from([2, 1, 9])) });
  expect((await ask(agent.url, createFakeClock(), 2_000)).code).toBeGreaterThan(1);
});
