// What went over a delayed connection, as who delayed it stamped it, and the phases that follow from that.
import type { Phase } from '@vantage/probes';
import { z } from 'zod';

/** A TCP connection as its relay told it: milliseconds of one clock, the first bytes of each piece in hex. */
export const talkTold = z.object({
  port: z.number(),
  /** The client's SYN was seen; the server's answer to it left. A relay that takes connections itself says the same twice. */
  startMs: z.number(),
  openMs: z.number(),
  said: z.array(z.tuple([z.number(), z.enum(['client', 'server']), z.string()])),
});

/** A delayed connection's story. */
export type Talk = z.infer<typeof talkTold>;

/** How a method talks, so that its phases can be read from a talk. */
export interface Manner {
  readonly speaksFirst: 'client' | 'server';
  readonly tls?: 'Implicit' | 'StartTLS';
  /** The client's last words are a farewell, whose answer belongs to no phase. */
  readonly farewell?: boolean;
}

/** The true phases; those that the stamps alone cannot tell apart are left out. */
export type Truth = Partial<Record<Phase, number>>;

/** Reads the phases of a check from its talk. */
export function truthOf(talk: Talk, manner: Manner): Truth {
  const said = talk.said.map(([ms, side, head]) => ({ ms, side, head }));
  const of = (side: 'client' | 'server') => said.filter((each) => each.side === side);
  const connect = talk.openMs - talk.startMs;
  const firstAnswer = of('server')[0]?.ms ?? Number.NaN;
  const began = manner.speaksFirst === 'server' ? talk.openMs : (of('client')[0]?.ms ?? Number.NaN);
  const farewellAt = manner.farewell ? said.findLastIndex(({ side }) => side === 'client') : said.length;
  const lastAnswer = said.slice(0, farewellAt).findLast(({ side }) => side === 'server')?.ms ?? Number.NaN;
  if (manner.tls === undefined) return { connect, ttfb: firstAnswer - began, ttlb: lastAnswer - firstAnswer };

  // A TLS record begins with its type (22 handshake, 20 change cipher spec, 23 data) and version 3; the change cipher
  // spec may stand before any record but the first (RFC 8446 sections 5 and D.4). The server's part of the handshake
  // has ended before the client's first data; asked for was TLS with the last that was said before its first hello, or
  // with MySQL's request of 32 bytes, with which the hello may stand in one piece.
  const helloAt = said.findIndex(({ side, head }) => side === 'client' && /^(1603|20000001)/.test(head));
  const doneAt = said.findIndex(
    ({ side, head }, at) => at > helloAt && side === 'client' && /^(140303000101)?1703/.test(head),
  );
  const agreed = said.slice(0, doneAt).findLast(({ side }) => side === 'server')?.ms ?? Number.NaN;
  const askedAt = said[helloAt]?.head.startsWith('1603') ? helloAt - 1 : helloAt;
  const asked = manner.tls === 'Implicit' ? talk.openMs : (said[askedAt]?.ms ?? Number.NaN);
  const ssl = agreed - asked;
  // Under implicit TLS nobody without its keys knows a session ticket from a first answer.
  if (manner.tls === 'Implicit') return { connect, ssl };
  return { connect, ssl, ttfb: firstAnswer - began, ttlb: lastAnswer - firstAnswer - ssl };
}
