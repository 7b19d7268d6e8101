// A process that passes connections to servers of 127.0.0.1, delays a server's bytes by a known time and stamps each
// piece. The tests compare a probe's phases with these stamps. Without a delay it only gives servers other addresses.
// Usage: delay-proxy.ts DELAY_MS HOST[,HOST…] PORT=UPSTREAM_PORT… It sends its parent 'ready', then the talk of each
// connection that ended (delay-talk.ts).
import { connect, createServer, type Socket } from 'node:net';
import type { Talk } from './delay-talk.ts';

const [, , delay, hosts = '', ...ways] = process.argv;
const delayMs = Number(delay);

function pass(client: Socket, port: number, upstreamPort: number): void {
  const taken = performance.now();
  const said: Talk['said'] = [];
  const note = (side: 'client' | 'server', chunk: Buffer) =>
    said.push([performance.now(), side, chunk.toString('hex', 0, 16)]);
  const upstream = connect(upstreamPort, '127.0.0.1');
  for (const socket of [client, upstream]) {
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
  }
  const later = (then: () => void) => (delayMs === 0 ? then() : void setTimeout(then, delayMs));
  client.on('data', (chunk) => {
    note('client', chunk);
    upstream.write(chunk);
  });
  upstream.on('data', (chunk) =>
    later(() => {
      client.write(chunk);
      note('server', chunk);
    }),
  );
  upstream.on('end', () => later(() => client.end()));
  client.on('close', () => {
    upstream.destroy();
    process.send?.({ port, startMs: taken, openMs: taken, said });
  });
}

for (const way of ways) {
  const [port = 0, upstreamPort = 0] = way.split('=').map(Number);
  for (const host of hosts.split(',')) {
    const server = createServer((client) => pass(client, port, upstreamPort));
    await new Promise<void>((resolve) => server.listen({ host, port }, resolve));
  }
}
process.send?.('ready');
process.on('disconnect', () => process.exit(0));
