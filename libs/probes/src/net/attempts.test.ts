import { systemClock } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { createStopwatch } from '../engine/stopwatch.ts';
import { closedPort, collectGarbage, listen } from '../testing/index.ts';
import { connectFirst } from './attempts.ts';

/** The part of a check's context that a connect needs. */
function contextOf() {
  const stopwatch = createStopwatch(systemClock);
  const onCut = () => ({ [Symbol.dispose]: () => {} });
  return { clock: systemClock, onCut, stopwatch, addDetail: () => {}, own: () => {} };
}

/** Connects to a port of this machine. */
async function connectTo(port: number, context = contextOf()) {
  const addresses = [{ address: '127.0.0.1', family: 4 }] as const;
  return connectFirst(context, addresses, { port, tcpFigures: () => undefined });
}

test('a socket that is connected keeps nothing of the check in memory', async () => {
  await using server = await listen(() => {});
  const { socket, context } = await (async () => {
    const held = contextOf();
    const { socket } = await connectTo(server.port, held);
    return { socket, context: new WeakRef(held) };
  })();
  // A WeakRef keeps its target to the end of the task that made it.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(context.deref()).toBeUndefined();
  expect(socket.destroyed).toBe(false);
  socket.destroy();
});

test('an error of a socket that is connected and not read yet ends nothing', async () => {
  await using server = await listen(() => {});
  const { socket } = await connectTo(server.port);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.destroy(new Error('an error that nobody waits for'));
  await closed;
  await expect(connectTo(closedPort)).rejects.toThrow('connection refused');
});
