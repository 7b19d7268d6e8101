// A process with a news server that supports STARTTLS (RFC 4642) and little else, because no news server of Debian
// offers STARTTLS. Usage: starttls-server.ts PORT BUNDLE. It sends its parent 'ready'.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';

const [, , port, bundle = ''] = process.argv;
const pem = readFileSync(bundle, 'utf8');
const secureContext = createSecureContext({ key: pem, cert: pem });
const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  socket.write('200 posting allowed\r\n');
  socket.once('data', () => {
    socket.write('382 go on\r\n');
    socket.removeAllListeners('data');
    const secured = new TLSSocket(socket, { isServer: true, secureContext });
    secured.on('error', () => socket.destroy());
    secured.on('data', () => secured.write('205 bye\r\n'));
  });
});
server.listen({ host: '127.0.0.1', port: Number(port) }, () => process.send?.('ready'));
process.on('disconnect', () => process.exit(0));
