import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type Content, contentOf, decodeOid, encodeInteger, encodeOid, tlv } from './ber.ts';
import { addressOf } from './server.ts';

/** The value of an object of the test agent. */
export type AgentValue =
  | {
      readonly type: 'integer' | 'counter32' | 'gauge' | 'ticks' | 'counter64';
      readonly value: number | bigint;
    }
  | { readonly type: 'text'; readonly value: string | Buffer };

/** An object of the test agent; its value is read for each answer. */
export type AgentObject = readonly [oid: string, value: () => AgentValue];

/** A request as the test agent received it. */
export interface AgentRequest {
  readonly version: number;
  readonly community: string;
  /** 0xa0 get, 0xa1 next, 0xa5 bulk */
  readonly pdu: number;
  readonly oids: readonly string[];
  readonly bytes: Buffer;
}

/** An SNMP agent of a test, for v1 and v2c. It encodes by hand, so it shares no fault with the probe. */
export interface TestSnmpAgent extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly AgentRequest[];
  setObjects(objects: readonly AgentObject[]): void;
  clearRequests(): void;
}

interface AgentSettings {
  readonly objects: readonly AgentObject[];
  readonly community?: string;
  /** The maximum size of an answer: a bulk answer is cut there, any other is tooBig. */
  readonly maxBytes?: number;
  /** Answers instead of the agent: bytes, or nothing for `drop`. */
  readonly answer?: (request: AgentRequest) => Buffer | 'drop' | undefined;
  /** The objects of an answer that were asked for. */
  readonly sent?: (oids: readonly string[]) => void;
  /** Whether the network loses this answer. */
  readonly isLost?: () => boolean;
}

const tags = {
  integer: 0x02,
  text: 0x04,
  counter32: 0x41,
  gauge: 0x42,
  ticks: 0x43,
  counter64: 0x46,
} as const;
const endOfMib = Buffer.from([0x82, 0]);
const noInstance = Buffer.from([0x81, 0]);
const nothing = Buffer.from([0x05, 0]);
const get = 0xa0;
const bulk = 0xa5;
const tooBig = 1;
const noSuchName = 2;

/** Serves objects on a free port of 127.0.0.1. */
export async function serveSnmp(settings: AgentSettings): Promise<TestSnmpAgent> {
  const socket = createSocket('udp4');
  let tree = sorted(settings.objects);
  const requests: AgentRequest[] = [];
  socket.on('message', (bytes, from) => {
    const request = readRequest(bytes);
    requests.push(request);
    const own = settings.answer?.(request);
    const answer = own ?? answerTo(request, tree, settings);
    if (answer === 'drop' || answer === undefined || settings.isLost?.()) return;
    socket.send(answer, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = addressOf(socket.address());
  return {
    port,
    url: `snmp://127.0.0.1:${port}`,
    requests,
    setObjects: (objects) => {
      tree = sorted(objects);
    },
    clearRequests: () => void requests.splice(0),
    [Symbol.asyncDispose]: () => closed(socket),
  };
}

/** Answers datagrams as an agent with these objects does. */
export function snmpAnswers(objects: readonly AgentObject[]): (bytes: Buffer) => Buffer | undefined {
  const tree = sorted(objects);
  return (bytes) => answerTo(readRequest(bytes), tree, { objects });
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.close(() => resolve()));
}

interface Leaf {
  readonly oid: string;
  readonly numbers: readonly number[];
  readonly name: Buffer;
  readonly value: () => AgentValue;
}

function sorted(objects: readonly AgentObject[]): readonly Leaf[] {
  return objects
    .map(([oid, value]) => ({ oid, numbers: numbersOf(oid), name: encodeOid(oid), value }))
    .sort((a, b) => compare(a.numbers, b.numbers));
}

function numbersOf(oid: string): readonly number[] {
  return oid.split('.').map(Number);
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** The place of the first leaf after an OID, and the leaf of the OID itself. */
function placeOf(
  tree: readonly Leaf[],
  oid: string,
): { readonly after: number; readonly same: Leaf | undefined } {
  const numbers = numbersOf(oid);
  let [low, high] = [0, tree.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(tree[middle]?.numbers ?? [], numbers) <= 0) low = middle + 1;
    else high = middle;
  }
  const before = tree[low - 1];
  return { after: low, same: before?.oid === oid ? before : undefined };
}

interface ServedRequest extends AgentRequest {
  readonly id: Buffer;
  readonly first: number;
  readonly second: number;
}

function answerTo(
  request: AgentRequest,
  tree: readonly Leaf[],
  { community = 'public', maxBytes = 60_000, sent }: AgentSettings,
): Buffer | undefined {
  if (request.community !== community || request.version > 1) return undefined;
  const parsed = parse(request.bytes);
  const { oids, pdu } = parsed;
  const served: string[] = [];
  const varbinds: Buffer[] = [];
  let size = 100;
  const add = (leaf: Leaf | undefined, oid: string, missing: Buffer): boolean => {
    const bytes = tlv(
      0x30,
      Buffer.concat([leaf?.name ?? encodeOid(oid), leaf ? encodeValue(leaf.value()) : missing]),
    );
    if (size + bytes.length > maxBytes) return false;
    size += bytes.length;
    varbinds.push(bytes);
    // After the last row of a column comes the next column, for which nobody asked.
    if (leaf && `${oid}.`.startsWith(leaf.oid.replace(/\d+$/, ''))) served.push(leaf.oid);
    return true;
  };
  const fail = (status: number, at: number) =>
    envelope(
      parsed,
      status,
      at,
      oids.map((oid) => tlv(0x30, Buffer.concat([encodeOid(oid), nothing]))),
    );
  if (pdu === bulk) {
    const repeated = oids.slice(parsed.first);
    const cursors = repeated.map((oid) => placeOf(tree, oid).after);
    let isRoom = oids
      .slice(0, parsed.first)
      .every((oid) => add(tree[placeOf(tree, oid).after], oid, endOfMib));
    for (let round = 0; round < parsed.second && isRoom; round += 1)
      isRoom = repeated.every((oid, at) => add(tree[(cursors[at] ?? 0) + round], oid, endOfMib));
  } else
    for (const [at, oid] of oids.entries()) {
      const { after, same } = placeOf(tree, oid);
      const leaf = pdu === get ? same : tree[after];
      const isWide = leaf?.value().type === 'counter64';
      if (request.version === 0 && (leaf === undefined || isWide)) return fail(noSuchName, at + 1);
      if (!add(leaf, oid, pdu === get ? noInstance : endOfMib)) return fail(tooBig, 0);
    }
  sent?.(served);
  return envelope(parsed, 0, 0, varbinds);
}

function envelope(
  request: ServedRequest,
  status: number,
  index: number,
  varbinds: readonly Buffer[],
): Buffer {
  const pdu = tlv(
    0xa2,
    Buffer.concat([
      request.id,
      encodeInteger(0x02, status),
      encodeInteger(0x02, index),
      tlv(0x30, Buffer.concat(varbinds)),
    ]),
  );
  const head = [encodeInteger(0x02, request.version), tlv(0x04, Buffer.from(request.community))];
  return tlv(0x30, Buffer.concat([...head, pdu]));
}

function readRequest(bytes: Buffer): AgentRequest {
  const version = contentOf(bytes, contentOf(bytes, 0).start);
  // A message of v3 has a header here; the agent does not read it.
  if (bytes[version.start] === 3) return { version: 3, community: '', pdu: 0, oids: [], bytes };
  const { id: _id, first: _first, second: _second, ...request } = parse(bytes);
  return request;
}

function parse(bytes: Buffer): ServedRequest {
  const version = contentOf(bytes, contentOf(bytes, 0).start);
  const community = contentOf(bytes, version.end);
  const pdu = contentOf(bytes, community.end);
  const id = contentOf(bytes, pdu.start);
  const first = contentOf(bytes, id.end);
  const second = contentOf(bytes, first.end);
  const list = contentOf(bytes, second.end);
  const oids: string[] = [];
  for (let at = list.start; at < list.end; ) {
    const varbind = contentOf(bytes, at);
    const oid = contentOf(bytes, varbind.start);
    oids.push(decodeOid(bytes.subarray(oid.start, oid.end)));
    at = varbind.end;
  }
  const numberAt = ({ start, end }: Content) =>
    end > start ? bytes.readIntBE(start, Math.min(6, end - start)) : 0;
  return {
    version: numberAt(version),
    community: bytes.subarray(community.start, community.end).toString(),
    pdu: bytes.readUInt8(community.end),
    id: bytes.subarray(pdu.start, id.end),
    first: numberAt(first),
    second: numberAt(second),
    oids,
    bytes,
  };
}

function encodeValue(value: AgentValue): Buffer {
  if (value.type === 'text') return tlv(tags.text, Buffer.from(value.value));
  return encodeInteger(tags[value.type], value.value);
}
