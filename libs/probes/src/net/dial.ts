import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { resultCode } from '@vantage/domain';
import { createTcpFigures, type ReadTcpFigures } from '@vantage/icmp';
import type { Address, Connection, Dial } from '../contract/dial.ts';
import { Failure, showPeer } from '../contract/failure.ts';
import { connectFirst } from './attempts.ts';
import { createNames, literalAddress, type Names } from './resolve.ts';
import { createSecureContexts, handshake } from './tls.ts';

/** Creates the dial of an agent; one serves all its checks. Opens nothing until asked. */
export function createDial(
  deps: { readonly names?: Names; readonly tcpFigures?: ReadTcpFigures } = {},
): Dial {
  const { names = createNames(), tcpFigures = createTcpFigures() } = deps;
  const contexts = createSecureContexts();
  const dial: Dial = {
    resolve: (context, host, family) => names.resolve(context, host, family),
    servers: () => names.servers(),
    permitted(context, addresses, port) {
      const { policy, method } = context;
      const allowed: Address[] = [];
      let reason = 'no address is allowed';
      for (const each of addresses) {
        const refusal = policy.refuse({ address: each.address, port, method });
        if (refusal === undefined) allowed.push(each);
        else reason = refusal;
      }
      if (allowed.length === 0) throw new Failure(resultCode.policy, reason);
      return allowed;
    },
    async connect(context, request) {
      const { host, port, family = 'Any' } = request;
      // Without a wait where there is no name.
      const literal = literalAddress(host, family);
      const addresses = literal ? [literal] : await names.resolve(context, host, family);
      const allowed = dial.permitted(context, addresses, port);
      context.setPeers(allowed.map(({ address }) => ({ address, port })));
      const { socket, at } = await connectFirst(context, allowed, { port, tcpFigures });
      if (allowed.length > 1) context.setPeers([{ address: at.address, port }]);
      const plain = new OpenConnection(socket, { host, address: at.address, port, family: at.family });
      return request.tls ? dial.secure(context, plain, request.tls) : plain;
    },
    async secure(context, connection, tls, host = connection.host) {
      const socket = await handshake({
        context,
        socket: connection.socket,
        secureContext: contexts.of(tls.settings),
        settings: tls.settings,
        host,
        peer: connection.peer,
        ...(tls.alpn ? { alpn: tls.alpn } : {}),
        ...(tls.session ? { session: tls.session } : {}),
      });
      const { address, port, family } = connection;
      return new OpenConnection(socket, { host, address, port, family });
    },
  };
  return dial;
}

/** An open connection; a class, because each check has one. */
class OpenConnection implements Connection {
  readonly socket: Socket;
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly family: 4 | 6;

  constructor(socket: Socket, place: Pick<Connection, 'host' | 'address' | 'port' | 'family'>) {
    this.socket = socket;
    this.host = place.host;
    this.address = place.address;
    this.port = place.port;
    this.family = place.family;
  }

  get peer(): string {
    return showPeer(this.address, this.port);
  }

  get secure(): boolean {
    return this.socket instanceof TLSSocket;
  }

  get alpn(): string | undefined {
    const { socket } = this;
    return socket instanceof TLSSocket && typeof socket.alpnProtocol === 'string'
      ? socket.alpnProtocol
      : undefined;
  }

  [Symbol.dispose](): void {
    // Not from inside a TLS callback, see tls.ts.
    if (this.secure) setImmediate(() => this.socket.destroy());
    else this.socket.destroy();
  }
}
