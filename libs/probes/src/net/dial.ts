import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { resultCode } from '@vantage/domain';
import { createTcpFigures, type ReadTcpFigures, whyNoMarks } from '@vantage/icmp';
import type { Address, Connection, Dial } from '../contract/dial.ts';
import { showPeer } from '../contract/display.ts';
import { Failure } from '../contract/failure.ts';
import { connectFirst } from './attempts.ts';
import { handshake } from './handshake.ts';
import { createNames, literalAddress, type NameResolver } from './resolve.ts';
import { createSecureContexts } from './secure-contexts.ts';
import { withSource } from './source-address.ts';

/** Creates the dial of an agent, for all its checks. */
export function createDial(
  deps: { readonly names?: NameResolver; readonly tcpFigures?: ReadTcpFigures } = {},
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
      for (const address of addresses) {
        const refusal = policy.refuse({ address: address.address, port, method });
        if (refusal === undefined) allowed.push(address);
        else reason = refusal;
      }
      if (allowed.length === 0) throw new Failure(resultCode.policy, reason);
      return allowed;
    },
    async connect(context, request) {
      const { host, port, family = 'Any', source, dscp } = request;
      // No wait if there is no name.
      const literal = literalAddress(host, family);
      const addresses = literal ? [literal] : await names.resolve(context, host, family);
      const permitted = dial.permitted(context, addresses, port);
      const allowed = source === undefined ? permitted : withSource(permitted, source);
      context.setPeers(allowed.map(({ address }) => ({ address, port })));
      const whyNot = dscp === undefined ? undefined : whyNoMarks();
      if (whyNot !== undefined)
        throw new Failure(resultCode.agent, `this agent cannot set DSCP here: ${whyNot}`);
      const { socket, at } = await connectFirst(context, allowed, { port, tcpFigures, dscp });
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

/** A class for the same reason as `RunningCheck`. */
class OpenConnection implements Connection {
  readonly socket: Socket;
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly family: 4 | 6;

  constructor(socket: Socket, endpoint: Pick<Connection, 'host' | 'address' | 'port' | 'family'>) {
    this.socket = socket;
    this.host = endpoint.host;
    this.address = endpoint.address;
    this.port = endpoint.port;
    this.family = endpoint.family;
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
    // Not from inside a TLS callback; see handshake.ts.
    if (this.secure) setImmediate(() => this.socket.destroy());
    else this.socket.destroy();
  }
}
