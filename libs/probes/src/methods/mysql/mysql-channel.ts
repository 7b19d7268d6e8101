import type { Failure } from '../../contract/failure.ts';
import type { Dialogue } from '../../dialogue/dialogue.ts';
import { wrongProtocol } from '../../dialogue/receive-buffer.ts';
import { packetOf } from './mysql-packets.ts';

/** Packets of the MySQL protocol over a dialogue: a length of three bytes, a sequence number, a payload. */
export interface MysqlPackets {
  /** The payload of the server's first packet. Throws Failure 3 as soon as the bytes cannot come from MySQL. */
  readFirst(): Promise<Buffer>;
  /** The next payload; the rest of one over 64 KiB is read and dropped. */
  read(): Promise<Buffer>;
  /** Sends a payload; `shown` replaces it in the transcript. */
  write(payload: Uint8Array, shown: string): Promise<void>;
  /** Begins a command, whose first packet has the number 0. */
  restart(): void;
  /** Counts a packet that was not sent with `write`. */
  skip(): void;
  /** Failure 3. `what` describes the packet that the server sent. */
  unexpected(what: string): Failure;
}

/** A longer first packet belongs to another protocol. */
const maxGreetingBytes = 64 * 1024;
/** A greeting begins with the version of the protocol (9 is obsolete), an error with 255. */
const firstBytes = [9, 10, 255];
/** The rest of a longer packet is read and dropped. */
export const maxPayloadBytes = 64 * 1024;
/** Waiting packets are read without a pause. After this many, other work runs first. */
const packetsAtOnce = 200;

export function createMysqlPackets(dialogue: Dialogue): MysqlPackets {
  let sequence = 0;
  let packets = 0;
  const unexpected = (what: string) => wrongProtocol(dialogue.connection.peer, what);
  return {
    unexpected,
    async readFirst() {
      const opening = await dialogue.readExactly(5);
      const length = opening.readUIntLE(0, 3);
      if (length > maxGreetingBytes) throw unexpected(`a first packet of ${length} bytes`);
      const [ordinal, kind] = [opening.readUInt8(3), opening.readUInt8(4)];
      if (length === 0 || ordinal !== 0 || !firstBytes.includes(kind)) throw unexpected('no MySQL greeting');
      sequence = 1;
      return Buffer.concat([opening.subarray(4), await dialogue.readExactly(length - 1)]);
    },
    async read() {
      packets += 1;
      if (packets % packetsAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
      const header = await dialogue.readExactly(4);
      const length = header.readUIntLE(0, 3);
      if (length === 0) throw unexpected('an empty packet');
      sequence = header.readUInt8(3) + 1;
      const payload = await dialogue.readExactly(Math.min(length, maxPayloadBytes));
      for (let left = length - payload.length; left > 0; ) left -= (await dialogue.readSome(left)).length;
      return payload;
    },
    write: (payload, shown) => dialogue.write(packetOf(sequence, payload), shown),
    restart() {
      sequence = 0;
    },
    skip() {
      sequence += 1;
    },
  };
}
