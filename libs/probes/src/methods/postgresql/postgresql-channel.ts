import type { Failure } from '../../contract/failure.ts';
import type { Dialogue } from '../../dialogue/dialogue.ts';
import { wrongProtocol } from '../../dialogue/receive-buffer.ts';

/** A message of the server. */
interface ServerMessage {
  /** Its letter, such as `R` or `Z`. */
  readonly type: string;
  /** At most 64 KiB. */
  readonly payload: Buffer;
}

/** Messages of PostgreSQL's protocol over a dialogue: a letter, a length of four bytes, a payload. */
export interface PostgresChannel {
  /** The next message; the rest of one over 64 KiB is read and dropped. Throws Failure 3 for impossible bytes. */
  read(): Promise<ServerMessage>;
  /** Sends bytes; `shown` replaces them in the transcript. */
  write(bytes: Uint8Array, shown: string): Promise<void>;
  /** Failure 3. `what` describes the message that the server sent. */
  unexpected(what: string): Failure;
}

/** The rest of a longer message is read and dropped. */
export const maxPayloadBytes = 64 * 1024;
/** A message before the end of the login is shorter. */
const maxOpeningBytes = 30_000;
/** The letters of an answer to the first message: authentication, error, notice, negotiation of the version. */
const openingTypes = 'RENv';
const types = `${openingTypes}123ACDGHIKSTVWZcdnst`;
/** Waiting messages are read without a pause. After this many, other work runs first. */
const messagesAtOnce = 200;

export function createPostgresChannel(dialogue: Dialogue): PostgresChannel {
  let messages = 0;
  const unexpected = (what: string) => wrongProtocol(dialogue.connection.peer, what);
  return {
    unexpected,
    async read() {
      messages += 1;
      if (messages % messagesAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
      const isFirst = messages === 1;
      const head = await dialogue.readExactly(5);
      const type = head.toString('latin1', 0, 1);
      const length = head.readInt32BE(1) - 4;
      const isKnown = (isFirst ? openingTypes : types).includes(type);
      if (!isKnown || length < 0 || (isFirst && length > maxOpeningBytes))
        throw unexpected('no message of PostgreSQL');
      const payload = await dialogue.readExactly(Math.min(length, maxPayloadBytes));
      for (let left = length - payload.length; left > 0; ) left -= (await dialogue.readSome(left)).length;
      return { type, payload };
    },
    write: (bytes, shown) => dialogue.write(bytes, shown),
  };
}
