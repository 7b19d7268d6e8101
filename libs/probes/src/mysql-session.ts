import type { Dialogue } from './dialogue.ts';
import { Failure } from './failure.ts';
import { cachingSha2Scramble, nativeScramble, rsaPassword } from './mysql-auth.ts';
import {
  capability,
  clientFlags,
  isEnd,
  loginPacket,
  packetOf,
  readError,
  readGreetingPacket,
  readLength,
  readRow,
  readSwitch,
  type ServerError,
  type ServerGreeting,
  tlsRequest,
} from './mysql-packets.ts';
import { resultCode } from './probe.ts';
import type { TlsSettings } from './tls.ts';
import { quoteShort } from './transcript.ts';

/** A login as the probe asks for it. */
export interface MysqlLogin {
  readonly user: string;
  readonly password: string;
}

/** What a query brought. */
export interface QueryResult {
  /** The first rows: at most 100, and 64 KiB of them. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** How many there were. */
  readonly count: number;
}

/** The end of a login or query: good, or the server's error. */
export type Answered<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ServerError };

/** A talk with a MySQL server. */
export interface MysqlSession {
  /** The server's greeting, or the error that it sends instead. */
  greeting(): Promise<Answered<ServerGreeting>>;
  startTls(greeting: ServerGreeting, settings: TlsSettings): Promise<void>;
  /** Logs in; the value is the method used. */
  login(greeting: ServerGreeting, login: MysqlLogin): Promise<Answered<string>>;
  query(sql: string): Promise<Answered<QueryResult>>;
  /** Takes leave; does not wait. */
  quit(): Promise<void>;
}

/** No greeting is longer; so long a first packet is another protocol's. */
const longestGreeting = 64 * 1024;
/** A greeting begins with its protocol's number (9 is of old), an error with 255. */
const firstBytes = [9, 10, 255];
/** What is kept of any packet; the rest of a long value is read and dropped. */
const mostKept = 64 * 1024;
const mostRows = 100;
/** Packets that wait are read without a pause; after so many others have their turn. */
const packetsAtOnce = 200;
const mostLoginSteps = 10;

/** Starts a session on a fresh dialogue of bytes; a login will ask for the database. */
export function createMysqlSession(dialogue: Dialogue, database: string | undefined): MysqlSession {
  let sequence = 0;
  let secure = dialogue.connection.secure;
  let flags = clientFlags({ tls: false, database: database !== undefined });

  const unexpected = (what: string) =>
    new Failure(
      resultCode.protocol,
      `${dialogue.connection.peer} sent ${what}: this is not the protocol expected`,
    );

  let packets = 0;
  const read = async (): Promise<Buffer> => {
    packets += 1;
    if (packets % packetsAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
    const header = await dialogue.readExactly(4);
    const length = header.readUIntLE(0, 3);
    if (length === 0) throw unexpected('an empty packet');
    sequence = header.readUInt8(3) + 1;
    const kept = await dialogue.readExactly(Math.min(length, mostKept));
    for (let left = length - kept.length; left > 0; ) left -= (await dialogue.readSome(left)).length;
    return kept;
  };
  /** The first packet: what its first five bytes rule out is not waited for. */
  const readFirst = async (): Promise<Buffer> => {
    const opening = await dialogue.readExactly(5);
    const length = opening.readUIntLE(0, 3);
    if (length > longestGreeting) throw unexpected(`a first packet of ${length} bytes`);
    const [ordinal, kind] = [opening.readUInt8(3), opening.readUInt8(4)];
    if (length === 0 || ordinal !== 0 || !firstBytes.includes(kind)) throw unexpected('no MySQL greeting');
    sequence = 1;
    return Buffer.concat([opening.subarray(4), await dialogue.readExactly(length - 1)]);
  };
  const write = (payload: Uint8Array, shown: string) => dialogue.write(packetOf(sequence, payload), shown);

  /** The proof of the password for a login method, or undefined for a method not known. */
  const proofOf = (plugin: string, password: string, nonce: Buffer): Buffer | undefined => {
    switch (plugin) {
      case 'mysql_native_password':
        return nativeScramble(password, nonce);
      case 'caching_sha2_password':
        return cachingSha2Scramble(password, nonce);
      case 'sha256_password':
        // Over TLS the password itself; else a 1 asks for the server's key.
        return secure || password === '' ? Buffer.from(`${password}\0`) : Buffer.from([1]);
      case 'mysql_clear_password':
        return secure ? Buffer.from(`${password}\0`) : undefined;
      default:
        return undefined;
    }
  };

  const refuseMethod = (plugin: string) => {
    const why =
      plugin === 'mysql_clear_password'
        ? 'the server asks for the password in clear, which is sent over TLS only'
        : `the server wants the login method ${quoteShort(plugin)}, which is not known here`;
    return new Failure(resultCode.login, `login refused: ${why}`);
  };

  /** Full authentication of `caching_sha2_password`: the server has no proof of this password in its cache. */
  const provideFull = async (password: string, nonce: Buffer): Promise<void> => {
    if (secure) return write(Buffer.from(`${password}\0`), '(password ***)');
    await write(Buffer.from([2]), '(asks for the public key)');
    const answer = await read();
    if (answer[0] !== 1) throw unexpected('no public key');
    return sendEncrypted(password, nonce, answer.subarray(1));
  };
  const sendEncrypted = (password: string, nonce: Buffer, key: Buffer): Promise<void> => {
    try {
      return write(rsaPassword(password, nonce, key.toString('latin1')), '(password ***, encrypted)');
    } catch {
      throw unexpected('a public key that cannot be used');
    }
  };

  return {
    async greeting() {
      const payload = await readFirst();
      const error = readError(payload);
      if (error) return { ok: false, error };
      const greeting = readGreetingPacket(payload);
      if (!greeting) throw unexpected('no MySQL greeting');
      return { ok: true, value: greeting };
    },

    async startTls(greeting, settings) {
      if ((greeting.capabilities & capability.ssl) === 0) {
        throw new Failure(resultCode.tls, `${dialogue.connection.peer} does not offer TLS`);
      }
      flags = clientFlags({ tls: true, database: database !== undefined });
      await write(tlsRequest(flags), '(asks for TLS)');
      sequence += 1;
      await dialogue.startTls({ settings });
      secure = true;
    },

    async login(greeting, { user, password }) {
      let { plugin, nonce } = greeting;
      let proof = proofOf(plugin, password, nonce);
      if (proof === undefined) {
        // The server's suggestion counts for no user in particular: it may switch to one that is known.
        plugin = 'mysql_native_password';
        proof = nativeScramble(password, nonce);
      }
      await write(loginPacket({ flags, user, proof, database, plugin }), `(login of ${user}, password ***)`);
      for (let step = 0; step < mostLoginSteps; step += 1) {
        const payload = await read();
        const error = readError(payload);
        if (error) return { ok: false, error };
        if (payload[0] === 0) return { ok: true, value: plugin };
        const other = readSwitch(payload);
        if (other) {
          ({ plugin, nonce } = other);
          const next = proofOf(plugin, password, nonce);
          if (next === undefined) throw refuseMethod(plugin);
          await write(next, `(${plugin}, password ***)`);
        } else if (payload[0] === 0xfe) {
          throw refuseMethod('mysql_old_password');
        } else if (payload[0] !== 1) {
          throw unexpected('no answer to the login');
        } else if (plugin === 'sha256_password') {
          await sendEncrypted(password, nonce, payload.subarray(1));
        } else if (plugin === 'caching_sha2_password' && payload[1] === 4) {
          await provideFull(password, nonce);
        } else if (plugin !== 'caching_sha2_password' || payload[1] !== 3) {
          throw unexpected('no known step of the login');
        }
      }
      throw unexpected('more and more steps of a login');
    },

    async query(sql) {
      sequence = 0;
      await write(Buffer.concat([Buffer.from([3]), Buffer.from(sql)]), sql);
      const head = await read();
      const error = readError(head);
      if (error) return { ok: false, error };
      if (head[0] === 0) return { ok: true, value: { rows: [], count: 0 } };
      if (head[0] === 0xfb) {
        const file = quoteShort(head.toString('utf8', 1));
        const peer = dialogue.connection.peer;
        throw new Failure(resultCode.protocol, `${peer} asks for this agent's file ${file}: it gets nothing`);
      }
      if (readLength(head, 0) === undefined) throw unexpected('no answer to the query');
      while (!isEnd(await read()));
      const rows: QueryResult['rows'][number][] = [];
      let kept = 0;
      for (let count = 0; ; count += 1) {
        const payload = await read();
        if (isEnd(payload)) return { ok: true, value: { rows, count } };
        const late = readError(payload);
        if (late) return { ok: false, error: late };
        if (rows.length > 0 && (rows.length >= mostRows || kept + payload.length > mostKept)) continue;
        rows.push(readRow(payload));
        kept += payload.length;
      }
    },

    quit() {
      sequence = 0;
      return write(Buffer.from([1]), '(quit)');
    },
  };
}
