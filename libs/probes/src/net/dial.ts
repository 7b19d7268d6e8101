import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { resultCode } from '@vantage/domain';
import { createTcpFigures, type ReadTcpFigures } from '@vantage/icmp';
import type { Connection, Dial } from '../contract/dial.ts';
import { Failure, showPeer } from '../contract/failure.ts';
import { connectFirst } from './attempts.ts';
import { createNames, type Names } from './resolve.ts';
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
      let reason = 'no address is allowed';
      const allowed = addresses.filter(({ address }) => {
        const refusal = context.policy.refuse({ address, port, method: context.method });
        if (refusal !== undefined) reason = refusal;
        return refusal === undefined;
      });
      if (allowed.length === 0) throw new Failure(resultCode.policy, reason);
      return allowed;
    },
    async connect(context, request) {
      const { host, port } = request;
      const addresses = await names.resolve(context, host, request.family ?? 'Any');
      const allowed = dial.permitted(context, addresses, port);
      context.setPeers(allowed.map(({ address }) => ({ address, port })));
      const { socket, at } = await connectFirst(context, allowed, { port, tcpFigures });
      const peer = showPeer(at.address, port);
      context.setPeers([{ address: at.address, port }]);
      const plain = connectionOf(socket, { host, address: at.address, port, family: at.family, peer });
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
      const { address, port, family, peer } = connection;
      return connectionOf(socket, { host, address, port, family, peer });
    },
  };
  return dial;
}

function connectionOf(
  socket: Socket,
  place: Pick<Connection, 'host' | 'address' | 'port' | 'family' | 'peer'>,
): Connection {
  const secured = socket instanceof TLSSocket;
  return {
    ...place,
    socket,
    secure: secured,
    alpn: secured && typeof socket.alpnProtocol === 'string' ? socket.alpnProtocol : undefined,
    // Not from inside a TLS callback, see tls.ts.
    [Symbol.dispose]: secured ? () => void setImmediate(() => socket.destroy()) : () => void socket.destroy(),
  };
}
