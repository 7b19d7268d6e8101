// The packets of MQTT 3.1.1 and 5 that a check uses (OASIS standards of 2014 and 2019).

/** Levels of the protocol by the names of their versions. */
const protocolLevels = { '3.1.1': 4, '5': 5 } as const;
export type MqttVersion = keyof typeof protocolLevels;

export const packetType = {
  connect: 1,
  connack: 2,
  publish: 3,
  puback: 4,
  subscribe: 8,
  suback: 9,
  disconnect: 14,
} as const;

/** A packet with its fixed header. */
export function packetOf(type: number, flags: number, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([(type << 4) | flags]), variableInteger(body.length), body]);
}

/** A number of 1 to 4 bytes. */
export function variableInteger(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    const more = rest > 127 ? 128 : 0;
    bytes.push((rest & 127) | more);
    rest >>= 7;
  } while (rest > 0);
  return Buffer.from(bytes);
}

/** Reads a number of 1 to 4 bytes; undefined if it is longer or cut off. */
export function readVariableInteger(
  bytes: Uint8Array,
  at: number,
): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let i = 0; i < 4; i += 1) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    value += (byte & 127) * 128 ** i;
    if (byte < 128) return { value, end: at + i + 1 };
  }
  return undefined;
}

const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const text = (value: string) => Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)]);
/** Only MQTT 5 has properties; a check sends none. */
const noProperties = (version: MqttVersion) => (version === '5' ? Buffer.from([0]) : Buffer.alloc(0));

/** A new session that the server forgets at its end, without a will. */
export function connectPacket(login: {
  readonly version: MqttVersion;
  readonly clientId: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly keepAliveSeconds: number;
}): Buffer {
  const { version, clientId, user, password, keepAliveSeconds } = login;
  const cleanStart = 2;
  const flags = cleanStart | (user === undefined ? 0 : 128) | (password === undefined ? 0 : 64);
  return packetOf(
    packetType.connect,
    0,
    Buffer.concat([
      text('MQTT'),
      Buffer.from([protocolLevels[version], flags]),
      int16(keepAliveSeconds),
      noProperties(version),
      text(clientId),
      ...(user === undefined ? [] : [text(user)]),
      ...(password === undefined ? [] : [text(password)]),
    ]),
  );
}

/** Subscribes with at most QoS 1. */
export function subscribePacket(version: MqttVersion, id: number, topic: string): Buffer {
  return packetOf(
    packetType.subscribe,
    2,
    Buffer.concat([int16(id), noProperties(version), text(topic), Buffer.from([1])]),
  );
}

/** A message with QoS 1, which the server acknowledges. It is not retained. */
export function publishPacket(version: MqttVersion, id: number, topic: string, message: string): Buffer {
  return packetOf(
    packetType.publish,
    2,
    Buffer.concat([text(topic), int16(id), noProperties(version), Buffer.from(message)]),
  );
}

/** Acknowledges a message with QoS 1. */
export function pubackPacket(id: number): Buffer {
  return packetOf(packetType.puback, 0, int16(id));
}

export const disconnectPacket = packetOf(packetType.disconnect, 0, Buffer.alloc(0));

/** The answer to a connect: 0 is good. */
export interface Connack {
  readonly code: number;
}

/** Reads a CONNACK; undefined if it is malformed. */
export function readConnack(version: MqttVersion, body: Buffer): Connack | undefined {
  const [flags, code] = body;
  const isLong = version === '5' ? body.length >= 2 : body.length === 2;
  return isLong && code !== undefined && flags !== undefined && flags <= 1 ? { code } : undefined;
}

/** Reads the code of a SUBACK or PUBACK for the packet `id`; undefined if it is malformed or another's. */
export function readAck(
  version: MqttVersion,
  type: number,
  body: Buffer,
  id: number,
): { readonly code: number } | undefined {
  if (body.length < 2 || body.readUInt16BE(0) !== id) return undefined;
  if (type === packetType.puback) return { code: (version === '5' ? body[2] : 0) ?? 0 };
  const start = version === '5' ? afterProperties(body, 2) : 2;
  const code = start === undefined ? undefined : body[start];
  return code === undefined ? undefined : { code };
}

/** A message that the server delivers. */
export interface Delivery {
  readonly topic: string;
  readonly payload: Buffer;
  readonly isRetained: boolean;
  /** To acknowledge; undefined for QoS 0. */
  readonly id: number | undefined;
}

/** Reads a PUBLISH of QoS 0 or 1; undefined if it is malformed. */
export function readPublish(version: MqttVersion, flags: number, body: Buffer): Delivery | undefined {
  const qos = (flags >> 1) & 3;
  if (qos > 1 || body.length < 2) return undefined;
  const topicEnd = 2 + body.readUInt16BE(0);
  const idEnd = topicEnd + (qos === 0 ? 0 : 2);
  if (body.length < idEnd) return undefined;
  const start = version === '5' ? afterProperties(body, idEnd) : idEnd;
  if (start === undefined) return undefined;
  return {
    topic: body.toString('utf8', 2, topicEnd),
    payload: body.subarray(start),
    isRetained: (flags & 1) === 1,
    id: qos === 0 ? undefined : body.readUInt16BE(topicEnd),
  };
}

/** The end of the properties that begin at `at`; undefined if they are cut off. */
function afterProperties(body: Buffer, at: number): number | undefined {
  const length = readVariableInteger(body, at);
  if (!length || length.end + length.value > body.length) return undefined;
  return length.end + length.value;
}

const reasons3: Readonly<Record<number, string>> = {
  1: 'it does not speak this version of MQTT',
  2: 'it does not accept this ClientId',
  3: 'it is unavailable',
  4: 'user or password are malformed',
  5: 'not authorized',
};
const reasons5: Readonly<Record<number, string>> = {
  129: 'malformed packet',
  130: 'protocol error',
  132: 'it does not speak this version of MQTT',
  133: 'it does not accept this ClientId',
  134: 'user or password are wrong',
  135: 'not authorized',
  136: 'it is unavailable',
  137: 'it is busy',
  138: 'this agent is banned',
  139: 'it is shutting down',
  140: 'it wants another login method',
  141: 'keep alive timeout',
  142: 'another client has this ClientId',
  143: 'it does not accept this topic',
  144: 'it does not accept this topic',
  149: 'the packet is too large',
  151: 'its quota is exceeded',
  152: 'an administrator ended it',
  156: 'use another server',
  157: 'the server has moved',
  159: 'too many connections in a short time',
};
/** Codes that are about the login. */
const loginCodes: Readonly<Record<MqttVersion, readonly number[]>> = {
  '3.1.1': [4, 5],
  '5': [134, 135, 138, 140],
};

/** The reason of a refusal in words, and whether it is about the login. */
export interface RefusalReason {
  readonly words: string;
  readonly isLogin: boolean;
}

/** The reason of a refused connect. A server of 3.1.1 answers a connect of MQTT 5 with a code of its own version. */
export function refusedConnect(version: MqttVersion, code: number): RefusalReason {
  const words = (version === '5' ? reasons5[code] : undefined) ?? reasons3[code] ?? `code ${code}`;
  return { words, isLogin: loginCodes[version].includes(code) };
}

/** The reason of a refused subscription or message, or of the end of a session: a code of 128 and above. */
export function refusedLater(code: number): RefusalReason {
  return { words: code === 128 ? 'refused' : (reasons5[code] ?? `code ${code}`), isLogin: code === 135 };
}
