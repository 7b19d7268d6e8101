// A process with one HTTP server on loopback. Each request for a path below /swing is answered in turns with 200
// and 500, any other one with 200; one below /slow takes 300 ms in turns. It sends its parent the port.
import { createServer } from 'node:http';

const bad = new Set<string>();
const server = createServer(({ url = '/' }, answer) => {
  if (/^\/(?:swing|slow)/.test(url) && !bad.delete(url)) bad.add(url);
  const isSlow = url.startsWith('/slow');
  answer.statusCode = bad.has(url) && !isSlow ? 500 : 200;
  if (isSlow && bad.has(url)) setTimeout(() => answer.end('fine\n'), 300);
  else answer.end('fine\n');
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => {
  const address = server.address();
  process.send?.(address !== null && typeof address === 'object' ? address.port : 0);
});
process.on('disconnect', () => process.exit(0));
