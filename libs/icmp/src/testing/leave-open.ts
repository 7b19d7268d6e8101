/** Run by tests as a worker or a process: opens sockets, has an answer, and ends without closing them. */
import { parentPort } from 'node:worker_threads';
import { openIcmp } from '../index.ts';

for (const [family, address] of [
  [4, '127.0.0.1'],
  [6, '::1'],
] as const) {
  const socket = openIcmp({ family });
  if (!('error' in socket)) await socket.ping({ address, size: 56, timeoutMs: 5000 });
}
// A worker stays until it is ended.
parentPort?.on('message', () => undefined);
parentPort?.postMessage('done');
