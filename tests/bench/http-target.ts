// A process with one HTTP server on loopback. It sends its parent the port.
import { createServer } from 'node:http';

const server = createServer((_request, answer) => answer.end('fine\n'));
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => {
  const address = server.address();
  process.send?.(address !== null && typeof address === 'object' ? address.port : 0);
});
process.on('disconnect', () => process.exit(0));
