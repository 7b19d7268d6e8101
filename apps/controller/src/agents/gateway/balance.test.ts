import { type Clock, systemClock } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';
import { expect, test, vi } from 'vitest';
import { hasty, nothing, soon, useGatewayFixture } from './testing/gateway-fixture.ts';

const bench = useGatewayFixture();
/** Rounds follow quickly. An agent may be silent for as long as it may anywhere. */
const quick: Clock = { ...hasty, timer: (ms, fn) => systemClock.timer(ms, fn) };

test('a gateway that was added gets agents of the other one, each asked once', async () => {
  await using full = await bench.gatewayWith(nothing, 'the full one', quick);
  const agents = await Promise.all(Array.from({ length: 4 }, () => bench.enrolAgent()));
  const streams = agents.map(({ identity }) => bench.connectTo(full.url, { identity }));
  for (const stream of streams) await stream.until('welcome');
  const beat = setInterval(() => {
    for (const stream of streams) stream.send({ case: 'heartbeat', value: { sequence: 1n } });
  }, 300);
  using _beats = { [Symbol.dispose]: () => clearInterval(beat) };
  const ends = streams.map((stream) => stream.until('goodbye').catch(() => undefined));
  const sent: string[] = [];
  for (const end of ends) void end.then((goodbye) => goodbye && sent.push(goodbye.text));
  // Three rounds of a gateway alone: nobody goes.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  expect([sent, full.gateway.load.sessions]).toEqual([[], 4]);

  await using empty = await bench.gatewayWith(nothing, 'the added one', quick);
  const goodbye = await Promise.race(ends);
  expect(goodbye).toMatchObject({
    reason: Goodbye_Reason.UNSPECIFIED,
    text: 'another controller has fewer agents: connect to that one',
  });
  await vi.waitFor(() => expect(full.gateway.load.sessions).toBe(3), soon);
  const gone = agents[await Promise.race(ends.map((end, at) => end.then(() => at)))];
  const moved = bench.connectTo(empty.url, { ...gone, counter: 2 });
  await moved.until('welcome');
  streams.push(moved);
  // Three and one: a share is two, and one more is left alone.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  expect([sent.length, full.gateway.load.sessions, empty.gateway.load.sessions]).toEqual([1, 3, 1]);
  await Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()));
});
