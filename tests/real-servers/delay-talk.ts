// The pieces of a delayed connection with the stamps of its relay, and the phases that follow from them.
import type { Phase } from '@vantage/probes';
import { z } from 'zod';

/** A TCP connection as its relay reports it: milliseconds of one clock, the first bytes of each piece in hex. */
export const talkReport = z.object({
  port: z.number(),
  /** The client's port, where the relay knows it. */
  client: z.number().optional(),
  /**
   * The relay saw the client's SYN; the server's answer left the relay. A relay that accepts connections itself reports
   * one time for both.
   */
  startMs: z.number(),
  openMs: z.number(),
  said: z.array(z.tuple([z.number(), z.enum(['client', 'server']), z.string()])),
});

/** A connection with its stamps. */
export type Talk = z.infer<typeof talkReport>;

/** The order of a Method's dialogue, from which the phases follow. */
export interface Manner {
  readonly speaksFirst: 'client' | 'server';
  readonly tls?: 'Implicit' | 'StartTLS';
  /** Whether the client ends with a quit, whose answer belongs to no phase. */
  readonly quits?: boolean;
}

/** The true phases, without those that the stamps alone cannot distinguish. */
export type Truth = Partial<Record<Phase, number>>;

/** Reads the phases of a check from its talk. */
export function truthOf(talk: Talk, manner: Manner): Truth {
  const said = talk.said.map(([ms, side, head]) => ({ ms, side, head }));
  const of = (side: 'client' | 'server') => said.filter((each) => each.side === side);
  const connect = talk.openMs - talk.startMs;
  const firstAnswer = of('server')[0]?.ms ?? Number.NaN;
  const began = manner.speaksFirst === 'server' ? talk.openMs : (of('client')[0]?.ms ?? Number.NaN);
  const quitAt = manner.quits ? said.findLastIndex(({ side }) => side === 'client') : said.length;
  const lastAnswer = said.slice(0, quitAt).findLast(({ side }) => side === 'server')?.ms ?? Number.NaN;
  if (manner.tls === undefined) return { connect, ttfb: firstAnswer - began, ttlb: lastAnswer - firstAnswer };

  // A TLS record begins with its type (22 handshake, 20 change cipher spec, 23 data) and version 3. A change cipher
  // spec may come before any record except the first (RFC 8446 sections 5 and D.4). The server's part of the handshake
  // has ended before the client's first data. The client requests TLS with its last piece before the first hello, or
  // with MySQL's request of 32 bytes, which may share a piece with the hello.
  const helloAt = said.findIndex(({ side, head }) => side === 'client' && /^(1603|20000001)/.test(head));
  const doneAt = said.findIndex(
    ({ side, head }, at) => at > helloAt && side === 'client' && /^(140303000101)?1703/.test(head),
  );
  const agreed = said.slice(0, doneAt).findLast(({ side }) => side === 'server')?.ms ?? Number.NaN;
  const askedAt = said[helloAt]?.head.startsWith('1603') ? helloAt - 1 : helloAt;
  const asked = manner.tls === 'Implicit' ? talk.openMs : (said[askedAt]?.ms ?? Number.NaN);
  const ssl = agreed - asked;
  // Under implicit TLS a relay without the keys cannot distinguish a session ticket from a first answer.
  if (manner.tls === 'Implicit') return { connect, ssl };
  return { connect, ssl, ttfb: firstAnswer - began, ttlb: lastAnswer - firstAnswer - ssl };
}
