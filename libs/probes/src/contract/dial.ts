import type { Socket } from 'node:net';
import type { Json, Method } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import type { IpFamily } from './options.ts';

/** The phases of a check, in their order. */
export type Phase = 'dns' | 'connect' | 'ssl' | 'ttfb' | 'ttlb';

/** The phases of one check, milliseconds. A phase that did not happen is 0. */
export type Phases = Readonly<Record<Phase, number>>;

/**
 * Measures phases. Entering a phase ends the previous one; a phase that is entered again (after a redirect) adds up.
 */
export interface Stopwatch {
  enter(phase: Phase): void;
  /**
   * Like `enter`, but after a pause the phase counts from the start of the pause. For work of the other side (a banner
   * is on its way) that began before this process reads it.
   */
  follow(phase: Phase): void;
  /** Ends a phase with a time that was measured elsewhere (the mean RTT of a PING). It replaces the phase's sum. */
  conclude(phase: Phase, ms: number): void;
  /** Ends the running phase. The time until the next `enter` belongs to no phase. */
  pause(): void;
  /** Phases up to now. */
  read(): Phases;
  running(): Phase | undefined;
}

/** The policy of the agent's host. It is applied before every connect, to the address and never to the name. */
export interface Policy {
  /** undefined: allowed. Else the reason for people: `port 25 is not allowed by this agent's policy`. */
  refuse(destination: {
    readonly address: string;
    readonly port: number;
    readonly method: Method;
  }): string | undefined;
}

/** An address to which a check connects. */
export interface Peer {
  /** IPv4 or IPv6, without brackets. */
  readonly address: string;
  /** 0 if the Method has no ports. */
  readonly port: number;
}

/** The part of a probe's context that a dial needs. */
export interface DialContext {
  readonly clock: Clock;
  /** Aborts at the check's deadline or when the agent stops. Every wait listens to it. */
  readonly signal: AbortSignal;
  /**
   * Calls `listener` with the reason when `signal` aborts, until the result is disposed. Use it for the waits of every
   * check, because `signal` is created only when it is read.
   */
  onCut(listener: (reason: unknown) => void): Disposable;
  readonly timeoutMs: number;
  readonly stopwatch: Stopwatch;
  readonly policy: Policy;
  /** The Method of this check, by which the policy decides. A script's function has the Method that it runs. */
  readonly method: Method;
  /** Adds a fact to the extended data, whatever the result. A function is called once, at the end of the check. */
  addDetail(key: string, value: Json | (() => Json)): void;
  /**
   * Records the addresses that the check tries, and later the one that it uses. The measurement has them, and the
   * extended data shows them as `Address`.
   */
  setPeers(peers: readonly Peer[]): void;
  /** Like `addDetail`, but only for failed checks: transcripts, headers, bodies, certificate chains. */
  diagnostics(key: string, value: Json | (() => Json)): void;
  /** Transfers a resource to the check, which disposes of it at its end. */
  own(resource: Disposable): void;
}

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
  /** The address of this host to connect from; absent: the system chooses. */
  readonly source?: string;
}

/** The part of the `TLS` Options that every Method has. */
export interface TlsSettings {
  readonly Verify: boolean;
  readonly CA?: string | undefined;
  readonly ClientCert?: string | undefined;
  readonly ClientKey?: string | undefined;
  readonly ServerName?: string | undefined;
  readonly MinDaysLeft: number;
}

interface DialRequest {
  /** Name or address. */
  readonly host: string;
  readonly port: number;
  readonly family?: IpFamily;
  /** `SourceAddress`: an address of this host, or the name of an interface. */
  readonly source?: string | undefined;
  /** `DSCP`, as in the Options. */
  readonly dscp?: string | undefined;
  /** Implicit TLS: the handshake follows the connect at once. */
  readonly tls?: TlsRequest | undefined;
}

export interface TlsRequest {
  readonly settings: TlsSettings;
  /** Protocols offered by ALPN, best first. */
  readonly alpn?: readonly string[];
  /** A session to resume: FTP servers require that of the control connection for data connections. */
  readonly session?: Buffer;
}

/** An open connection. It is closed when the check ends; `using` or `[Symbol.dispose]` closes it sooner. */
export interface Connection extends Disposable {
  /** Plain or TLS; still unread. It has an `error` listener. */
  readonly socket: Socket;
  /** The requested host, and the address, port and family in use. */
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
 * The only access of a probe to the network (except libs/icmp). Each call measures its phases with the context's
 * stopwatch, applies the policy to every address before it is used, adds facts (`Address`, `Attempts`, `TLS`,
 * `Certificate`) to the extended data, throws Failure, and ends when the signal aborts.
 *
 *     using connection = await context.dial.connect(context, { host: target.host, port: target.port, family: options.IPFamily });
 *     const secured = await context.dial.secure(context, connection, { settings: options.TLS }); // STARTTLS
 */
export interface Dial {
  /** Resolves a host (phase `dns`; none for an address). */
  resolve(context: DialContext, host: string, family: IpFamily): Promise<readonly Address[]>;
  /**
   * Resolves, connects (phase `connect`: from the first attempt to the used connection, by the kernel's clock if it has
   * one) and, with `tls`, secures (phase `ssl`).
   */
  connect(context: DialContext, request: DialRequest): Promise<Connection>;
  /** Upgrades a plain connection to TLS (phase `ssl`). Through a proxy, `host` is the server behind the proxy. */
  secure(context: DialContext, connection: Connection, tls: TlsRequest, host?: string): Promise<Connection>;
  /** The addresses that the policy allows; throws Failure 9 with its reason if there is none. For UDP and ICMP. */
  permitted(context: DialContext, addresses: readonly Address[], port: number): readonly Address[];
  /** The agent's resolvers, as `10.0.0.2` or `10.0.0.2:5353`. */
  servers(): readonly string[];
}
