import { createSocket } from 'node:dgram';
import { connect, type Socket } from 'node:net';
import { type Json, resultCode } from '@vantage/domain';
import { openMarkedSocket, type ReadTcpFigures } from '@vantage/icmp';
import type { Address } from '../contract/dial.ts';
import { showPeer } from '../contract/display.ts';
import { dscpOf } from '../contract/dscp.ts';
import { Failure, networkFailure, noRoute, systemCode } from '../contract/failure.ts';
import type { ProbeContext } from '../contract/probe.ts';
import { connectTime } from './connect-time.ts';

/** RFC 8305 section 8: Connection Attempt Delay, milliseconds. */
const attemptDelayMs = 250;

/** A connected socket and its peer. */
export interface Connected {
  readonly socket: Socket;
  readonly at: Address;
}

type RaceContext = Pick<ProbeContext, 'clock' | 'onCut' | 'stopwatch' | 'addDetail' | 'own'>;

/**
 * Connects to the first address that answers, and drops the others. The next attempt starts after 250 ms, or when the
 * previous one failed (RFC 8305 section 5). Measures the `connect` phase, which ends when the used address answered
 * (`connectTime`). Throws the most specific failure if none answers.
 */
export function connectFirst(
  context: RaceContext,
  addresses: readonly Address[],
  settings: {
    readonly port: number;
    readonly tcpFigures: ReadTcpFigures;
    /** `DSCP` of the Options. */
    readonly dscp?: string | undefined;
  },
): Promise<Connected> {
  return new Promise((resolve, reject) => new Race(context, addresses, { ...settings, resolve, reject }));
}

interface RaceSettings {
  readonly port: number;
  readonly tcpFigures: ReadTcpFigures;
  readonly dscp?: string | undefined;
  readonly resolve: (winner: Connected) => void;
  readonly reject: (reason: unknown) => void;
}

/** The attempts of one connect; a class, because function objects would be most of a check's memory. */
class Race {
  private readonly attempts: ConnectAttempt[] = [];
  private readonly context: RaceContext;
  private readonly addresses: readonly Address[];
  private readonly settings: RaceSettings;
  /** The time of earlier connects of this check, before a redirect. */
  private readonly beforeMs: number;
  private readonly firstMs: number;
  private readonly cutting: Disposable;
  private timer: Disposable | undefined;
  private open = 0;

  constructor(context: RaceContext, addresses: readonly Address[], settings: RaceSettings) {
    this.context = context;
    this.addresses = addresses;
    this.settings = settings;
    this.beforeMs = context.stopwatch.read().connect;
    context.stopwatch.enter('connect');
    this.firstMs = context.clock.monoMs();
    if (addresses.length > 1)
      context.addDetail('Attempts', () => this.attempts.map((attempt) => shown(attempt, settings.port)));
    this.cutting = context.onCut((reason) => {
      this.finish();
      settings.reject(reason);
    });
    this.startNext();
  }

  connected(attempt: ConnectAttempt): void {
    const { beforeMs, firstMs, context, settings } = this;
    const seenMs = context.clock.monoMs() - attempt.startedMs;
    const tookMs = connectTime(seenMs, settings.tcpFigures(attempt.socket));
    context.stopwatch.conclude('connect', beforeMs + attempt.startedMs - firstMs + tookMs);
    attempt.ended('connected', tookMs);
    this.finish(attempt.socket);
    settings.resolve({ socket: attempt.socket, at: attempt.at });
  }

  failed(attempt: ConnectAttempt, error: Error): void {
    if (attempt.tookMs !== undefined) return;
    attempt.ended(systemCode(error) || error.message, this.context.clock.monoMs() - attempt.startedMs);
    this.open -= 1;
    if (this.attempts.length < this.addresses.length) this.startNext();
    else if (this.open === 0) {
      this.finish();
      specificFailure(this.attempts, this.settings.port).then(this.settings.reject, this.settings.reject);
    }
  }

  private startNext(): void {
    const { context, attempts, addresses } = this;
    this.timer?.[Symbol.dispose]();
    const at = addresses[attempts.length];
    if (at === undefined) return;
    this.open += 1;
    const startedMs = attempts.length === 0 ? this.firstMs : context.clock.monoMs();
    const { port, dscp } = this.settings;
    const attempt = new ConnectAttempt(this, at, { socket: openSocket(at, port, dscp), startedMs });
    attempts.push(attempt);
    context.own(attempt);
    if (attempts.length < addresses.length)
      this.timer = context.clock.timer(attemptDelayMs, () => this.startNext());
  }

  /** Ends all attempts, except the connection to keep. */
  private finish(keep?: Socket): void {
    this.timer?.[Symbol.dispose]();
    this.cutting[Symbol.dispose]();
    for (const attempt of this.attempts) {
      attempt.race = undefined;
      if (attempt.socket !== keep) attempt.socket.destroy();
    }
  }
}

/**
 * One attempt. Disposing it closes the socket. Its listeners stay on the socket and reach the check only by `race`,
 * which is undefined after the race: Node's closed sockets stay in memory until the old generation is collected, and
 * must not keep the whole check there.
 */
class ConnectAttempt implements Disposable {
  readonly at: Address;
  readonly startedMs: number;
  readonly socket: Socket;
  result = 'no answer';
  tookMs: number | undefined;
  race: Race | undefined;

  constructor(
    race: Race,
    at: Address,
    { socket, startedMs }: { readonly socket: Socket; readonly startedMs: number },
  ) {
    this.at = at;
    this.startedMs = startedMs;
    this.race = race;
    this.socket = socket;
    this.socket.on('connect', () => this.race?.connected(this));
    // After the race, an error of the unread socket does not matter, and a reader has its own listener.
    this.socket.on('error', (error) => this.race?.failed(this, error));
  }

  ended(result: string, tookMs: number): void {
    this.result = result;
    this.tookMs = tookMs;
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}

/** Starts to connect. */
function openSocket(
  { address: host, family, source }: Address,
  port: number,
  dscp: string | undefined,
): Socket {
  const endpoint = { host, port, family, noDelay: true, autoSelectFamily: false };
  const to = source === undefined ? endpoint : { ...endpoint, localAddress: source };
  if (dscp === undefined) return connect(to);
  const socket = openMarkedSocket(family, dscpOf(dscp));
  return socket.destroyed ? socket : socket.connect(to);
}

function shown(attempt: ConnectAttempt, port: number): Json {
  return {
    Address: showPeer(attempt.at.address, port),
    Result: attempt.result,
    Ms: attempt.tookMs === undefined ? null : Math.round(attempt.tookMs * 1000) / 1000,
  };
}

/** A refusal is more specific than silence, and silence more than a missing route. */
async function specificFailure(attempts: readonly ConnectAttempt[], port: number): Promise<Failure> {
  const failures: Failure[] = [];
  for (const { at, result } of attempts) {
    const peer = showPeer(at.address, port);
    const routeless = result === 'ENETUNREACH' && (await lacksRoute(at));
    failures.push(routeless ? noRoute(at.address) : networkFailure({ code: result }, peer));
  }
  for (const code of [resultCode.protocol, resultCode.timeout]) {
    const specific = failures.find((failure) => failure.code === code);
    if (specific) return specific;
  }
  return failures[0] ?? new Failure(resultCode.agent, 'no address to connect to');
}

/** Whether this machine's routing table lacks a route. Connecting a datagram socket tells, and sends nothing. */
function lacksRoute(at: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(at.family === 6 ? 'udp6' : 'udp4');
    const finish = (lacks: boolean) => {
      socket.close();
      resolve(lacks);
    };
    socket.once('error', (error) => finish(systemCode(error) === 'ENETUNREACH'));
    socket.once('connect', () => finish(false));
    socket.connect(9, at.address);
  });
}
