// What a plain program of Node measures on the ways of the accuracy tests. Its error is the machine's: how long the
// processors need to wake, and how often other work has them.

import { Resolver } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';
import type { Errors } from './accuracy-verdict.ts';
import { type Talk, truthOf } from './delay-talk.ts';

/** A DNS server that answers over TCP, and the stamps of the way to it. */
export interface BareWay {
  /** An address, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly talk: (port: number) => Promise<Talk>;
}

/** RFC 1035 sections 4.1 and 4.2.2: length, id 1, "recursion desired", one question: A of www.real.test. */
const question = Buffer.from('001f00010100000100000000000003777777047265616c04746573740000010001', 'hex');

/** Connects and sends a DNS query: the errors of the connect and of the answer's first byte, milliseconds. */
export async function bareQuery({ host, port, talk }: BareWay): Promise<Errors> {
  const report = talk(port);
  const startMs = performance.now();
  const socket = connect({ host, port, noDelay: true, autoSelectFamily: false });
  const opened = next(socket, 'connect');
  const openMs = await opened;
  const answered = next(socket, 'data');
  socket.write(question);
  const answerMs = await answered;
  socket.destroy();
  const truth = truthOf(await report, { speaksFirst: 'client' });
  return differences({ connect: openMs - startMs, ttfb: answerMs - openMs }, truth);
}

/** Times of one bare socket, milliseconds, and its port, by which the wire knows it. */
export interface BareTimes {
  readonly client: number;
  readonly connect: number;
  /** Not a number when no answer was awaited. */
  readonly ttfb: number;
}

/**
 * Connects, sends the request where there is one, and waits for the first byte where one comes. Each event is stamped
 * when Node reads it.
 */
export function bareTimes(way: {
  readonly host: string;
  readonly port: number;
  readonly request?: string | undefined;
  readonly isAnswered: boolean;
}): Promise<BareTimes> {
  return new Promise((resolve, reject) => {
    const { host, port, request, isAnswered } = way;
    const startMs = performance.now();
    let openMs = Number.NaN;
    const socket = connect({ host, port, noDelay: true, autoSelectFamily: false });
    const finish = (endMs: number) => {
      const client = socket.localPort ?? 0;
      socket.destroy();
      resolve({ client, connect: openMs - startMs, ttfb: endMs - openMs });
    };
    socket.on('error', reject).once('connect', () => {
      openMs = performance.now();
      if (request !== undefined) socket.write(request);
      if (!isAnswered) finish(Number.NaN);
    });
    socket.once('data', () => finish(performance.now()));
  });
}

/** Made once: reading the authorities takes milliseconds. */
const secureContext = createSecureContext({ ca: [] });

/** Connects with TLS to a server without a query: the errors of the connect and of the handshake, milliseconds. */
export async function bareHandshake({ host, port, talk }: BareWay): Promise<Errors> {
  const report = talk(port);
  const startMs = performance.now();
  const plain = connect({ host, port, noDelay: true, autoSelectFamily: false });
  const socket = connectTls({ socket: plain, secureContext, rejectUnauthorized: false });
  const opened = next(plain, 'connect');
  const secured = next(socket, 'secureConnect');
  const [openMs, secureMs] = await Promise.all([opened, secured]);
  // Never from inside a TLS callback, whose code still needs the socket.
  setImmediate(() => socket.destroy());
  const truth = truthOf(await report, { speaksFirst: 'client', tls: 'Implicit' });
  return differences({ connect: openMs - startMs, ssl: secureMs - openMs }, truth);
}

/** Asks a DNS server that answers after `delayMs` by Node's own resolver: the error of the answer, milliseconds. */
export async function bareLookup(server: string, name: string, delayMs: number): Promise<Errors> {
  const resolver = new Resolver();
  resolver.setServers([server]);
  const startMs = performance.now();
  await resolver.resolve4(name);
  return { dns: performance.now() - startMs - delayMs };
}

/** The time of the next such event, milliseconds; rejects when the socket fails first. */
function next(socket: Socket, event: 'connect' | 'data' | 'secureConnect'): Promise<number> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve(performance.now()));
    socket.on('error', reject);
  });
}

function differences(seen: Errors, truth: Partial<Errors>): Errors {
  return Object.fromEntries(
    Object.entries(seen).map(([kind, ms]) => [kind, ms - (truth[kind] ?? Number.NaN)]),
  );
}
