// A proxy process in front of a server that holds everything the server says back by a known time and stamps when it
// really let go: the truth that a probe's phases are held against. Usage: delay-proxy.ts UPSTREAM_PORT DELAY_MS
// Tells its parent {port}, then for each connection that ended {firstMs, restMs}: when the first byte of the server's
// left after the connection was taken (or after the client's first byte, when the client speaks first), and when the
// last one left after the first.
import { connect, createServer } from 'node:net';

const [, , upstreamPort, delay] = process.argv;
const server = createServer((client) => {
  const taken = performance.now();
  let asked: number | undefined;
  let first: number | undefined;
  let last = 0;
  const upstream = connect(Number(upstreamPort), '127.0.0.1');
  for (const socket of [client, upstream]) {
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
  }
  client.on('data', (chunk) => {
    asked ??= performance.now();
    upstream.write(chunk);
  });
  upstream.on('data', (chunk) => {
    setTimeout(() => {
      last = performance.now();
      first ??= last;
      client.write(chunk);
    }, Number(delay));
  });
  upstream.on('end', () => void setTimeout(() => client.end(), Number(delay)));
  client.on('close', () => {
    upstream.destroy();
    if (first !== undefined)
      process.send?.({ bannerMs: first - taken, answerMs: first - (asked ?? taken), restMs: last - first });
  });
});
server.listen({ host: '127.0.0.1', port: 0 }, () => {
  const address = server.address();
  process.send?.({ port: address !== null && typeof address === 'object' ? address.port : 0 });
});
process.on('disconnect', () => process.exit(0));
