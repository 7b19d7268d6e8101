import { randomInt } from 'node:crypto';
import { type DecodedPacket, decode, encode, type Packet, RECURSION_DESIRED } from 'dns-packet';
import type { Address, Peer, TlsSettings } from '../../contract/dial.ts';
import type { ProbeContext } from '../../contract/probe.ts';
import { openDialogue } from '../../dialogue/dialogue.ts';
import { malformed, openDatagrams } from '../../net/datagrams.ts';
import type { RecordType } from './dns-records.ts';

/** One question to one server. */
export interface DnsQuery {
  readonly name: string;
  readonly type: RecordType;
  readonly recursion: boolean;
}

/** The reply of a server. */
export interface DnsReply {
  readonly packet: DecodedPacket;
  /** `NOERROR`, `NXDOMAIN`, …, or `RCODE 11`. */
  readonly rcode: string;
  readonly bytes: number;
  /** `10.0.0.53:53` */
  readonly peer: string;
  readonly server: Peer;
}

/** RFC 6891: a datagram of this size passes every usual path. */
const payloadSize = 1232;

function packetOf(query: DnsQuery, id: number): Packet {
  return {
    type: 'query',
    id,
    flags: query.recursion ? RECURSION_DESIRED : 0,
    questions: [{ name: query.name, type: query.type, class: 'IN' }],
    additionals: [
      {
        type: 'OPT',
        name: '.',
        udpPayloadSize: payloadSize,
        extendedRcode: 0,
        ednsVersion: 0,
        flags: 0,
        flag_do: false,
        options: [],
      },
    ],
  };
}

/** The packet if it answers this query (RFC 5452 section 9: id and question), else undefined. */
function readReply(
  bytes: Buffer,
  id: number,
  query: DnsQuery,
): Pick<DnsReply, 'packet' | 'rcode'> | undefined {
  if (bytes.length < 12 || bytes.readUInt16BE(0) !== id || (bytes.readUInt8(2) & 0x80) === 0)
    return undefined;
  const packet = decode(bytes);
  const extended = packet.additionals?.find((record) => record.type === 'OPT')?.extendedRcode ?? 0;
  const rcode = rcodeName(extended * 16 + (bytes.readUInt8(3) & 0x0f));
  const question = packet.questions?.[0];
  // A server that could not read the query may omit the question (RFC 1035 section 4.1.1).
  if (question === undefined) return rcode === 'NOERROR' ? undefined : { packet, rcode };
  const plain = (name: string) => name.toLowerCase().replace(/\.$/, '');
  return plain(question.name) === plain(query.name) && question.type === query.type
    ? { packet, rcode }
    : undefined;
}

/** RFC 6895 section 2.3, by code. */
const rcodes = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
];

function rcodeName(code: number): string {
  if (code === 9) return 'NOTAUTH';
  if (code === 16) return 'BADVERS';
  return rcodes[code] ?? `RCODE ${code}`;
}

/** Asks over UDP, again after 1, 2, 4 … s of silence. Returns undefined after `limitMs` without an answer. */
export async function askUdp(
  context: ProbeContext,
  server: Address & { readonly port: number },
  query: DnsQuery,
  limitMs: number,
): Promise<DnsReply | undefined> {
  const id = randomInt(65_536);
  using datagrams = await openDatagrams(context, server);
  const read = (message: Buffer) => {
    const reply = readReply(message, id, query);
    return reply && { ...reply, bytes: message.length };
  };
  const reply = await datagrams.ask(encode(packetOf(query, id)), read, limitMs);
  return reply && { ...reply, peer: datagrams.peer, server };
}

/** Asks over TCP (RFC 7766), or over TLS if `tls` is set (RFC 7858). */
export async function askStream(
  context: ProbeContext,
  server: { readonly host: string; readonly port: number; readonly family: 'Any' | '4' | '6' },
  query: DnsQuery,
  tls?: TlsSettings,
): Promise<DnsReply> {
  using connection = await context.dial.connect(context, {
    host: server.host,
    port: server.port,
    family: server.family,
    tls: tls ? { settings: tls, alpn: ['dot'] } : undefined,
  });
  using dialogue = openDialogue(context, connection, { text: false, speaksFirst: 'client' });
  const id = randomInt(65_536);
  const bytes = encode(packetOf(query, id));
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  await dialogue.write(Buffer.concat([length, bytes]), `query for ${query.name} ${query.type}`);
  const size = (await dialogue.readExactly(2)).readUInt16BE(0);
  const answer = await dialogue.readExactly(size);
  try {
    const reply = readReply(answer, id, query);
    if (reply)
      return {
        ...reply,
        bytes: size,
        peer: connection.peer,
        server: { address: connection.address, port: connection.port },
      };
  } catch (error) {
    throw malformed(connection.peer, error);
  }
  throw malformed(connection.peer, new Error('it answers another question'));
}
