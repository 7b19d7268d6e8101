import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { resultCode } from '@vantage/domain';
import { createTcpFigures, type ReadTcpFigures } from '@vantage/icmp';
import { Failure, showPeer } from '../contract/failure.ts';
import type { IpFamily } from '../contract/options.ts';
import type { ProbeContext } from '../contract/probe.ts';
import { connectFirst } from './attempts.ts';
import { type Address, createNames, type Names } from './resolve.ts';
import { createSecureContexts, handshake, type TlsSettings } from './tls.ts';

/** Dependencies of a dial; a ProbeContext has them all. */
export type DialContext = Pick<
  ProbeContext,
  | 'clock'
  | 'signal'
  | 'timeoutMs'
  | 'stopwatch'
  | 'policy'
  | 'method'
  | 'addDetail'
  | 'setPeers'
  | 'diagnostics'
  | 'own'
>;

/** A place to connect to. */
interface DialRequest {
  /** Name or address. */
  readonly host: string;
  readonly port: number;
  readonly family?: IpFamily;
  /** Implicit TLS: the handshake follows the connect at once. */
  readonly tls?: TlsRequest | undefined;
}

/** TLS on a connection. */
export interface TlsRequest {
  readonly settings: TlsSettings;
  /** Protocols offered by ALPN, the best first. */
  readonly alpn?: readonly string[];
  /** A session to resume: FTP servers want the control connection's on data connections. */
  readonly session?: Buffer;
}

/** An open connection. It is closed when the check ends; `using` or `[Symbol.dispose]` closes it sooner. */
export interface Connection extends Disposable {
  /** Plain or TLS; nobody has read from it. An `error` listener is on it already. */
  readonly socket: Socket;
  /** The host asked for, and the address, port and family in use. */
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly family: 4 | 6;
  /** `10.0.0.1:25`, `[2001:db8::1]:25`, for texts. */
  readonly peer: string;
  readonly secure: boolean;
  /** The protocol that the server chose by ALPN. */
  readonly alpn: string | undefined;
}

/**
 * The only way of a probe to the network (libs/icmp aside). Each call spends its phases on the context's stopwatch,
 * asks the policy about every address before it is touched, keeps facts (`Address`, `Attempts`, `TLS`, `Certificate`)
 * in the extended data, throws Failure, and ends when the signal aborts.
 *
 *     using connection = await context.dial.connect(context, { host: target.host, port: target.port, family: options.IPFamily });
 *     const secured = await context.dial.secure(context, connection, { settings: options.TLS }); // STARTTLS
 */
export interface Dial {
  /** Resolves a host (phase `dns`; none for an address). */
  resolve(context: DialContext, host: string, family: IpFamily): Promise<readonly Address[]>;
  /**
   * Resolves, connects (phase `connect`: first attempt → the connection used, by the kernel's clock where it has one)
   * and, if asked, secures (phase `ssl`).
   */
  connect(context: DialContext, request: DialRequest): Promise<Connection>;
  /**
   * TLS on a plain connection (phase `ssl`); the plain one is used up. Through a proxy, `host` names the server behind
   * it.
   */
  secure(context: DialContext, connection: Connection, tls: TlsRequest, host?: string): Promise<Connection>;
  /**
   * The addresses among these that the policy allows; throws Failure 9 with its reason when there is none. For UDP and
   * ICMP.
   */
  permitted(context: DialContext, addresses: readonly Address[], port: number): readonly Address[];
  /** The agent's resolvers, as `10.0.0.2` or `10.0.0.2:5353`. */
  servers(): readonly string[];
}

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
