// A process of startWireServer. Usage: wire-targets.ts HOST FIRST_PORT PORTS KIND. It sends its parent 'ready'.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

const [, , host, first, ports, kind] = process.argv;

function serve(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  if (kind === 'news') socket.write('200 ready\r\n');
  socket.on('data', () => {
    if (kind === 'web') socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nfine\n');
    if (kind === 'news') socket.end('205 bye\r\n');
  });
}

for (let port = Number(first); port < Number(first) + Number(ports); port += 1)
  await once(createServer({ noDelay: true }, serve).listen({ host, port, backlog: 1024 }), 'listening');
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
