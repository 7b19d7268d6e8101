import type { Socket } from 'node:net';
import { systemClock } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { createStopwatch } from '../engine/measurement.ts';
import { closedPort, listen } from '../testing/index.ts';
import { connectFirst } from './attempts.ts';

/** Connects to a port of this machine; returns what came of it and the sockets that it opened. */
async function connectTo(port: number) {
  const stopwatch = createStopwatch(() => systemClock.monoMs());
  const { signal } = new AbortController();
  const context = { clock: systemClock, signal, stopwatch, addDetail: () => {}, own: () => {} };
  const addresses = [{ address: '127.0.0.1', family: 4 }] as const;
  return connectFirst(context, addresses, { port, tcpFigures: () => undefined });
}

const listenersOf = (socket: Socket) => ['connect', 'error'].map((event) => socket.listeners(event));

test('a socket that is connected holds nothing of the check: its listeners are those of every other', async () => {
  await using server = await listen(() => {});
  const { socket: one } = await connectTo(server.port);
  const { socket: other } = await connectTo(server.port);
  const [connect = [], error = []] = listenersOf(one);
  expect(connect).toHaveLength(0);
  expect(error).toHaveLength(1);
  expect(listenersOf(other)[1]?.[0]).toBe(error[0]);
  for (const socket of [one, other]) socket.destroy();
});

test('an error of a socket that is connected and not read yet ends nothing', async () => {
  await using server = await listen(() => {});
  const { socket } = await connectTo(server.port);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.destroy(new Error('an error that nobody waits for'));
  await closed;
  await expect(connectTo(closedPort)).rejects.toThrow('connection refused');
});
