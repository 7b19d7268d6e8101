import { resultCode } from '@vantage/domain';
import { quoteShort } from '../../contract/display.ts';
import { Failure, notMet } from '../../contract/failure.ts';
import type { Dialogue } from '../../dialogue/dialogue.ts';
import { loginRefused } from '../../dialogue/line-protocol.ts';
import { wrongProtocol } from '../../dialogue/receive-buffer.ts';
import {
  connectPacket,
  type Delivery,
  disconnectPacket,
  type MqttVersion,
  packetType,
  pubackPacket,
  publishPacket,
  type RefusalReason,
  readAck,
  readConnack,
  readPublish,
  refusedConnect,
  refusedLater,
  subscribePacket,
} from './mqtt-packets.ts';

/** A session with a server, after its connect. */
export interface MqttSession {
  /** Subscribes. Throws Failure 7 or 8 if the server refuses. */
  subscribe(topic: string): Promise<void>;
  /** Sends a message. The server's acknowledgement is read with the next message. */
  publish(topic: string, message: string): Promise<void>;
  /** The next message on the topics of this session; the rest of one over 64 KiB is dropped. */
  nextMessage(): Promise<Delivery>;
  /** Tells the server the end, and does not wait. */
  disconnect(): Promise<void>;
}

/** The rest of a longer packet is read and dropped. */
const maxBodyBytes = 64 * 1024;
/** Waiting packets are read without a pause. After this many, other work runs first. */
const packetsAtOnce = 200;
/** Longer than any check. */
const keepAliveSeconds = 180;
const subscriptionId = 1;
const messageId = 2;

interface Packet {
  readonly type: number;
  readonly flags: number;
  readonly body: Buffer;
}

/** Opens a session. Throws Failure 8 for a refused login, and 3 if the server refuses otherwise or speaks no MQTT. */
export async function openSession(
  dialogue: Dialogue,
  login: {
    readonly version: MqttVersion;
    readonly clientId: string;
    readonly user: string | undefined;
    readonly password: string | undefined;
  },
): Promise<MqttSession> {
  const { version, clientId, user } = login;
  const { peer } = dialogue.connection;
  const read = createReader(dialogue);
  const shownLogin = user === undefined ? '' : `, user ${user}, password ***`;
  await dialogue.write(
    connectPacket({ ...login, keepAliveSeconds }),
    `(CONNECT of ${clientId}, MQTT ${version}${shownLogin})`,
  );
  const { type, flags, body } = await read();
  const connack = type === packetType.connack && flags === 0 ? readConnack(version, body) : undefined;
  if (type === packetType.disconnect) throw ended(peer, body);
  if (!connack) throw wrongProtocol(peer, 'no answer of MQTT');
  if (connack.code !== 0) throw connectFailure(refusedConnect(version, connack.code));

  const waiting: Delivery[] = [];
  /** Handles a packet that any step may get; returns others. */
  const expectOther = async (packet: Packet): Promise<Packet | undefined> => {
    switch (packet.type) {
      case packetType.publish: {
        const delivery = readPublish(version, packet.flags, packet.body);
        if (!delivery) throw wrongProtocol(peer, 'a malformed message');
        if (delivery.id !== undefined)
          await dialogue.write(pubackPacket(delivery.id), `(PUBACK ${delivery.id})`);
        waiting.push(delivery);
        return undefined;
      }
      case packetType.disconnect:
        throw ended(peer, packet.body);
      case packetType.puback: {
        const ack = readAck(version, packet.type, packet.body, messageId);
        if (!ack) throw wrongProtocol(peer, 'an acknowledgement of nothing');
        if (ack.code >= 128) throw topicFailure('the message', refusedLater(ack.code));
        return undefined;
      }
      default:
        return packet;
    }
  };
  return {
    async subscribe(topic) {
      await dialogue.write(subscribePacket(version, subscriptionId, topic), `(SUBSCRIBE ${topic})`);
      while (true) {
        const packet = await expectOther(await read());
        // Retained messages may come before the answer. Only the first ones are kept.
        waiting.splice(maxWaiting);
        if (!packet) continue;
        const ack =
          packet.type === packetType.suback
            ? readAck(version, packet.type, packet.body, subscriptionId)
            : undefined;
        if (!ack) throw wrongProtocol(peer, 'no answer to the subscription');
        if (ack.code >= 128)
          throw topicFailure(`the subscription to ${quoteShort(topic)}`, refusedLater(ack.code));
        return;
      }
    },
    publish: (topic, message) =>
      dialogue.write(publishPacket(version, messageId, topic, message), `(PUBLISH ${topic}) ${message}`),
    async nextMessage() {
      while (true) {
        const first = waiting.shift();
        if (first) return first;
        if (await expectOther(await read())) throw wrongProtocol(peer, 'no message of MQTT');
      }
    },
    disconnect: () => dialogue.write(disconnectPacket, '(DISCONNECT)'),
  };
}

/** Messages that arrive before the answer to the subscription. */
const maxWaiting = 20;

/** Reads packets. Throws Failure 3 for bytes that are none. */
function createReader(dialogue: Dialogue): () => Promise<Packet> {
  let packets = 0;
  return async () => {
    packets += 1;
    if (packets % packetsAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
    const first = (await dialogue.readExactly(1)).readUInt8(0);
    const isFirst = packets === 1;
    const type = first >> 4;
    const { peer } = dialogue.connection;
    if (isFirst && type !== packetType.connack && type !== packetType.disconnect)
      throw wrongProtocol(peer, 'no answer of MQTT');
    const length = await readLength(dialogue);
    if (isFirst && length > maxBodyBytes) throw wrongProtocol(peer, `a first packet of ${length} bytes`);
    const body = await dialogue.readExactly(Math.min(length, maxBodyBytes));
    for (let left = length - body.length; left > 0; ) left -= (await dialogue.readSome(left)).length;
    return { type, flags: first & 15, body };
  };
}

async function readLength(dialogue: Dialogue): Promise<number> {
  let length = 0;
  for (let i = 0; i < 4; i += 1) {
    const byte = (await dialogue.readExactly(1)).readUInt8(0);
    length += (byte & 127) * 128 ** i;
    if (byte < 128) return length;
  }
  throw wrongProtocol(dialogue.connection.peer, 'a length of more than 4 bytes');
}

function connectFailure({ words, isLogin }: RefusalReason): Failure {
  if (isLogin) return loginRefused(words);
  return new Failure(resultCode.protocol, `the server refuses the connection: ${words}`);
}

function topicFailure(what: string, { words, isLogin }: RefusalReason): Failure {
  if (isLogin) return new Failure(resultCode.login, `${what} is refused: ${words}`);
  return notMet(words === 'refused' ? `${what} is refused` : `${what} is refused: ${words}`);
}

/** The failure of a session that the server ends. MQTT 5 has a reason. */
function ended(peer: string, body: Buffer): Failure {
  const code = body[0] ?? 0;
  const why = code >= 128 ? `: ${refusedLater(code).words}` : '';
  return new Failure(resultCode.protocol, `${peer} ended the session${why}`);
}
