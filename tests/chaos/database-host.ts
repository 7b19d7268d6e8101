// The host of a database in a namespace: it passes connections to the socket of a PostgreSQL server. The kernel of the
// namespace has the connections, so for their other ends the server runs there. It ends when standard input ends.
// Usage: database-host.ts SOCKET
import { connect, createServer } from 'node:net';

const [, , socket = ''] = process.argv;
createServer((near) => {
  const far = connect(socket);
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.on('error', () => from.destroy());
    from.on('close', () => to.destroy());
    from.pipe(to);
  }
}).listen({ host: '0.0.0.0', port: 5432 }, () => process.stdout.write('ready\n'));
process.stdin.on('end', () => process.exit(0)).resume();
