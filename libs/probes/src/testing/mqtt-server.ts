import type { Socket } from 'node:net';
import { packetOf, packetType, readPublish, readVariableInteger } from '../methods/mqtt/mqtt-packets.ts';

export interface MqttServerSettings {
  readonly user?: string;
  /** Clients must log in with it; absent: no login. */
  readonly password?: string;
  /** The code of its answer to a connect instead of 0. */
  readonly refusal?: number;
  /** The code of its answer to a subscription; default 1. */
  readonly grant?: number;
  /** A message that it keeps for subscribers, sent before the answer to the subscription. */
  readonly retained?: string;
  /** The messages that the server delivers for one of a client; default: the same one. */
  readonly forward?: (message: string) => readonly string[];
  /** Collects the types of the packets of clients. */
  readonly received?: number[];
}

const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);

/** Serves a connection like a healthy MQTT server of 3.1.1 and 5, for one client. */
export function serveMqtt(socket: Socket, settings: MqttServerSettings = {}): void {
  const { user = 'probe', password, refusal = 0, grant = 1, retained, received } = settings;
  const forward = settings.forward ?? ((message: string) => [message]);
  let waiting: Buffer = Buffer.alloc(0);
  let isVersion5 = false;
  const properties = () => (isVersion5 ? Buffer.from([0]) : Buffer.alloc(0));
  const send = (type: number, flags: number, ...parts: readonly Uint8Array[]) =>
    void socket.write(packetOf(type, flags, Buffer.concat(parts)));
  const deliver = (topic: string, message: string, isRetained: boolean) => {
    const name = Buffer.from(topic);
    const flags = isRetained ? 3 : 2;
    send(packetType.publish, flags, int16(name.length), name, int16(9), properties(), Buffer.from(message));
  };
  const onConnect = (body: Buffer) => {
    isVersion5 = body[6] === 5;
    const login = textsOf(body.subarray(isVersion5 ? 11 : 10)).slice(1);
    const isRight = password === undefined || (login[0] === user && login[1] === password);
    const code = refusal !== 0 ? refusal : isRight ? 0 : isVersion5 ? 134 : 5;
    send(packetType.connack, 0, Buffer.from([0, code]), properties());
    if (code !== 0) socket.end();
  };
  const onPacket = (type: number, flags: number, body: Buffer) => {
    received?.push(type);
    if (type === packetType.connect) onConnect(body);
    else if (type === packetType.subscribe) {
      const [topic = ''] = textsOf(body.subarray(isVersion5 ? 3 : 2));
      if (retained !== undefined && grant < 128) deliver(topic, retained, true);
      send(packetType.suback, 0, body.subarray(0, 2), properties(), Buffer.from([grant]));
    } else if (type === packetType.publish) {
      const message = readPublish(isVersion5 ? '5' : '3.1.1', flags, body);
      if (!message) return void socket.destroy();
      send(packetType.puback, 0, int16(message.id ?? 0));
      for (const each of forward(message.payload.toString())) deliver(message.topic, each, false);
    } else if (type === packetType.disconnect) socket.end();
  };
  socket.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    while (true) {
      const length = readVariableInteger(waiting, 1);
      if (!length || waiting.length < length.end + length.value) return;
      const first = waiting.readUInt8(0);
      const body = waiting.subarray(length.end, length.end + length.value);
      waiting = waiting.subarray(length.end + length.value);
      onPacket(first >> 4, first & 15, body);
    }
  });
}

/** Texts with a length of two bytes each. */
function textsOf(bytes: Buffer): readonly string[] {
  const texts: string[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const end = at + 2 + bytes.readUInt16BE(at);
    texts.push(bytes.toString('utf8', at + 2, end));
    at = end;
  }
  return texts;
}
