// The devices of a private network, in one process: SSH on port 22, TELNET on port 23, and HTTP on port 80, whose page
// /broken is not well. It ends with its parent. Usage: private-devices.ts ADDRESS
import { createServer as createWebServer } from 'node:http';
import { createServer } from 'node:net';
import { serveSsh } from '../../libs/probes/src/testing/ssh-server.ts';

const host = process.argv[2];
const servers = [
  { port: 22, server: createServer(serveSsh) },
  { port: 23, server: createServer((socket) => void socket.on('error', () => {}).write('private login: ')) },
  {
    port: 80,
    server: createWebServer(({ url }, response) =>
      response.writeHead(url === '/broken' ? 500 : 200).end('only inside\n'),
    ),
  },
];
for (const { server, port } of servers)
  await new Promise<void>((resolve) => server.listen({ host, port }, resolve));
process.stdout.write('ready\n');
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
