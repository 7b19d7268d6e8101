import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { createFakeClock } from '@vantage/kernel/testing';
import { expect, it } from 'vitest';
import { streamBody } from './stream-body.ts';

it('asks for no more than a reader takes, and cuts off one that takes nothing for a minute', async () => {
  const clock = createFakeClock(0);
  const chunk = 'x'.repeat(65_536);
  let asked = 0;
  const chunks = async function* () {
    while (true) {
      asked += 1;
      yield chunk;
    }
  };
  const serving = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => {
    const ending = new AbortController().signal;
    const { body } = streamBody({ chunks, response, ending, clock });
    body.pipe(response);
    serving.resolve(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
  socket.pause();
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const response = await serving.promise;
  // The system's own buffers fill first; then nothing is asked for any more.
  for (let quiet = 0, last = -1; quiet < 1_000; quiet = asked === last ? quiet + 1 : 0) {
    last = asked;
    await new Promise(setImmediate);
  }
  const whenStalled = asked;
  expect(whenStalled * chunk.length).toBeLessThan(64 * 1024 * 1024);
  const closed = once(response, 'close');
  for (let second = 0; second < 70; second += 1) await clock.advance(1_000);
  await closed;
  expect(asked).toBe(whenStalled);
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});
