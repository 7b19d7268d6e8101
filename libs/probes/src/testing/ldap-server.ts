import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { contentOf, encodeInteger, tlv } from './ber.ts';

/** An entry of a test directory. */
export interface DirectoryEntry {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
}

export interface TestDirectory {
  /** The result of a bind; default: success for an anonymous one and for the password `sesame`, else 49. */
  readonly bind?: (user: string, password: string) => number;
  /** The entries of every search. */
  readonly entries?: readonly DirectoryEntry[];
  /** The result of every search; default 0. */
  readonly searchCode?: number;
  /** StartTLS is accepted. */
  readonly secureContext?: SecureContext;
}

const usualBind = (user: string, password: string) => (user === '' || password === 'sesame' ? 0 : 49);

/** Serves a connection as a directory server (RFC 4511). */
export function serveDirectory(directory: TestDirectory = {}): (socket: Socket) => void {
  return (socket) => {
    let waiting = Buffer.alloc(0);
    let current = socket;
    const onData = (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk]);
      while (waiting.length >= 2) {
        const { start, end } = contentOf(waiting, 0);
        if (waiting.readUInt8(0) !== 0x30 || end > waiting.length) break;
        const message = waiting.subarray(start, end);
        waiting = waiting.subarray(end);
        if (answer(message)) return;
      }
    };
    /** true: what follows is TLS. */
    const answer = (message: Buffer): boolean => {
      const id = contentOf(message, 0);
      const tag = message.readUInt8(id.end);
      const body = contentOf(message, id.end);
      const send = (reply: Buffer) =>
        current.write(tlv(0x30, Buffer.concat([message.subarray(0, id.end), reply])));
      if (tag === 0x60) {
        const version = contentOf(message, body.start);
        const user = contentOf(message, version.end);
        const password = contentOf(message, user.end);
        const code = (directory.bind ?? usualBind)(
          message.toString('utf8', user.start, user.end),
          message.toString('utf8', password.start, password.end),
        );
        send(
          result(
            0x61,
            code,
            code === 0 ? '' : `no ${message.toString('utf8', password.start, password.end)}`,
          ),
        );
      } else if (tag === 0x63) {
        for (const entry of directory.entries ?? []) send(entryOf(entry));
        send(result(0x65, directory.searchCode ?? 0));
      } else if (tag === 0x77) {
        const { secureContext } = directory;
        send(result(0x78, secureContext ? 0 : 2, secureContext ? '' : 'no TLS here'));
        if (!secureContext) return false;
        socket.off('data', onData);
        current = new TLSSocket(socket, { isServer: true, secureContext });
        current.on('error', () => {}).on('data', onData);
        return true;
      } else if (tag === 0x42) current.end();
      return false;
    };
    socket.on('data', onData);
  };
}

function text(value: string, tag = 0x04): Buffer {
  return tlv(tag, Buffer.from(value, 'utf8'));
}

/** The end of an operation. */
export function result(tag: number, code: number, said = ''): Buffer {
  return tlv(tag, Buffer.concat([encodeInteger(0x0a, code), text(''), text(said)]));
}

function entryOf({ name, attributes = {} }: DirectoryEntry): Buffer {
  const list = Object.entries(attributes).map(([key, values]) =>
    tlv(0x30, Buffer.concat([text(key), tlv(0x31, Buffer.concat(values.map((value) => text(value))))])),
  );
  return tlv(0x64, Buffer.concat([text(name), tlv(0x30, Buffer.concat(list))]));
}
