import { randomBytes } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';

/** The fault that a proxy adds to the bytes of the server behind it. */
export type Fault =
  | { readonly kind: 'none' }
  | { readonly kind: 'silent' } // accepts the connection and sends nothing
  | { readonly kind: 'slow'; readonly everyMs: number } // sends the server's bytes one at a time
  | { readonly kind: 'garbage' } // sends a NUL and random bytes instead of the server's
  | { readonly kind: 'reset'; readonly afterBytes: number } // sends RST within the answer
  | { readonly kind: 'close'; readonly afterBytes: number } // sends FIN within the answer
  | { readonly kind: 'delay'; readonly ms: number }; // sends all bytes of the server later

/** A TCP proxy on 127.0.0.1 in front of a server. */
export interface FaultProxy extends AsyncDisposable {
  readonly port: number;
}

/** Starts a proxy in front of 127.0.0.1:`upstreamPort` with one fault for all its connections. */
export async function startFaultProxy(upstreamPort: number, fault: Fault): Promise<FaultProxy> {
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => open.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    if (fault.kind === 'silent') {
      client.resume();
      return;
    }
    if (fault.kind === 'garbage') {
      const spit = () => client.end(Buffer.concat([Buffer.from([0, 255, 0, 254, 1]), randomBytes(300)]));
      const timer = setTimeout(spit, 100);
      client.once('data', () => {
        clearTimeout(timer);
        spit();
      });
      client.on('close', () => clearTimeout(timer));
      return;
    }
    const upstream = connect(upstreamPort, '127.0.0.1');
    keep(upstream);
    client.pipe(upstream);
    client.on('close', () => upstream.destroy());
    mistreat(upstream, client, fault);
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

type Mistreatment = Exclude<Fault, { kind: 'silent' } | { kind: 'garbage' }>;

/** Passes the upstream's bytes to the client, with the fault. */
function mistreat(upstream: Socket, client: Socket, fault: Mistreatment): void {
  switch (fault.kind) {
    case 'none':
      upstream.pipe(client);
      return;
    case 'delay':
      upstream.on('data', (chunk) => void setTimeout(() => client.write(chunk), fault.ms));
      upstream.on('end', () => void setTimeout(() => client.end(), fault.ms));
      return;
    case 'slow': {
      const waiting: number[] = [];
      upstream.on('data', (chunk: Buffer) => void waiting.push(...chunk));
      const timer = setInterval(() => {
        const byte = waiting.shift();
        if (byte !== undefined) client.write(Buffer.from([byte]));
      }, fault.everyMs);
      client.on('close', () => clearInterval(timer));
      return;
    }
    case 'reset':
    case 'close': {
      let left = fault.afterBytes;
      upstream.on('data', (chunk: Buffer) => {
        const part = chunk.subarray(0, Math.max(0, left));
        left -= part.length;
        if (part.length > 0) client.write(part);
        if (left > 0) return;
        if (fault.kind === 'close') client.end();
        else setTimeout(() => client.resetAndDestroy(), 20);
      });
    }
  }
}
