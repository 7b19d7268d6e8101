import type { Socket } from 'node:net';
import type { Json, Method } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import type { IpFamily } from './options.ts';

/** The phases a probe may be in; their order is the order in which they happen. */
export type Phase = 'dns' | 'connect' | 'ssl' | 'ttfb' | 'ttlb';

/** The phases of one check, milliseconds; a phase that did not happen is 0. */
export type Phases = Readonly<Record<Phase, number>>;

/** Measures phases: entering one ends the one before; a phase entered again (a redirect's next hop) adds up. */
export interface Stopwatch {
  enter(phase: Phase): void;
  /**
   * Like `enter`, but a phase paused meanwhile ended where this one begins: for what goes on at the other side all the
   * time (a banner is on its way) before this process reads it.
   */
  follow(phase: Phase): void;
  /**
   * Ends a phase with the time that was measured elsewhere (a PING's mean RTT by kernel timestamps). It replaces the
   * phase's sum.
   */
  conclude(phase: Phase, ms: number): void;
  /** Ends the phase that is running; time until the next `enter` belongs to none. */
  pause(): void;
  /** Phases up to now. */
  read(): Phases;
  /** The phase that is running. */
  running(): Phase | undefined;
}

/** The policy of an agent's own machine; asked before every connect with the address itself, never the name. */
export interface Policy {
  /** undefined: allowed. Else the reason for people: `port 25 is not allowed by this agent's policy`. */
  refuse(destination: {
    readonly address: string;
    readonly port: number;
    readonly method: Method;
  }): string | undefined;
}

/** An address that a check speaks to. */
export interface Peer {
  /** IPv4 or IPv6, without brackets. */
  readonly address: string;
  /** 0 where the method has no ports. */
  readonly port: number;
}

/** The part of a probe's context that a dial needs. */
export interface DialContext {
  readonly clock: Clock;
  /** Aborts at the check's deadline or when the agent ends. Every wait listens to it. */
  readonly signal: AbortSignal;
  /**
   * Calls `listener` with the reason when `signal` aborts; disposing the answer ends that. For waits of every check: a
   * signal that nobody asks for is never made.
   */
  onCut(listener: (reason: unknown) => void): Disposable;
  readonly timeoutMs: number;
  readonly stopwatch: Stopwatch;
  readonly policy: Policy;
  /** The method of this check; the policy decides by it. A script's function has the method that it runs. */
  readonly method: Method;
  /** Keeps a fact for the extended data, whatever the check's end; a function is asked once, at the end. */
  addDetail(key: string, value: Json | (() => Json)): void;
  /**
   * Records the addresses that the check tries, later the one that it speaks to. The measurement carries them, and the
   * extended data shows them as `Address`.
   */
  setPeers(peers: readonly Peer[]): void;
  /** Like `addDetail`, but kept only when the check fails: transcripts, headers, bodies, certificate chains. */
  diagnostics(key: string, value: Json | (() => Json)): void;
  /** Hands a resource over: it is disposed of when the check ends, however it ends. */
  own(resource: Disposable): void;
}

/** An address of a name. */
export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** How to speak TLS; the shared part of every method's `TLS` Options. */
export interface TlsSettings {
  readonly Verify: boolean;
  readonly CA?: string | undefined;
  readonly ClientCert?: string | undefined;
  readonly ClientKey?: string | undefined;
  readonly ServerName?: string | undefined;
  readonly MinDaysLeft: number;
}

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
