import { resultCode } from '@vantage/domain';
import type { TlsSettings } from '../../contract/dial.ts';
import { quoteShort } from '../../contract/display.ts';
import { Failure } from '../../contract/failure.ts';
import type { Dialogue } from '../../dialogue/dialogue.ts';
import { createMysqlPackets, maxPayloadBytes } from './mysql-channel.ts';
import { logIn, type MysqlLogin } from './mysql-login.ts';
import {
  capability,
  clientFlags,
  isEnd,
  type MysqlAnswer,
  readError,
  readGreetingPacket,
  readLength,
  readRow,
  type ServerGreeting,
  tlsRequest,
} from './mysql-packets.ts';

/** The result of a query. */
export interface QueryResult {
  /** The first rows: at most 100, with at most 64 KiB. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** The number of all rows. */
  readonly count: number;
}

export interface MysqlSession {
  /** The server's greeting, or the error that it sends instead. */
  greeting(): Promise<MysqlAnswer<ServerGreeting>>;
  startTls(greeting: ServerGreeting, settings: TlsSettings): Promise<void>;
  /** Logs in. The value is the method of the login. */
  login(greeting: ServerGreeting, login: MysqlLogin): Promise<MysqlAnswer<string>>;
  query(sql: string): Promise<MysqlAnswer<QueryResult>>;
  /** Tells the server to close, and does not wait. */
  quit(): Promise<void>;
}

const maxRows = 100;

/** Creates the session of a new dialogue of bytes. A login opens the database. */
export function createMysqlSession(dialogue: Dialogue, database: string | undefined): MysqlSession {
  const packets = createMysqlPackets(dialogue);
  let secure = dialogue.connection.secure;
  let flags = clientFlags({ tls: false, database: database !== undefined });

  return {
    async greeting() {
      const payload = await packets.readFirst();
      const error = readError(payload);
      if (error) return { ok: false, error };
      const greeting = readGreetingPacket(payload);
      if (!greeting) throw packets.unexpected('no MySQL greeting');
      return { ok: true, value: greeting };
    },

    async startTls(greeting, settings) {
      if ((greeting.capabilities & capability.ssl) === 0) {
        throw new Failure(resultCode.tls, `${dialogue.connection.peer} does not offer TLS`);
      }
      flags = clientFlags({ tls: true, database: database !== undefined });
      await packets.write(tlsRequest(flags), '(request for TLS)');
      packets.skip();
      await dialogue.startTls({ settings });
      secure = true;
    },

    login: (greeting, login) => logIn({ packets, greeting, flags, database, secure }, login),

    async query(sql) {
      packets.restart();
      await packets.write(Buffer.concat([Buffer.from([3]), Buffer.from(sql)]), sql);
      const head = await packets.read();
      const error = readError(head);
      if (error) return { ok: false, error };
      if (head[0] === 0) return { ok: true, value: { rows: [], count: 0 } };
      if (head[0] === 0xfb) {
        const file = quoteShort(head.toString('utf8', 1));
        const peer = dialogue.connection.peer;
        throw new Failure(
          resultCode.protocol,
          `${peer} requests this agent's file ${file}, which is not sent`,
        );
      }
      if (readLength(head, 0) === undefined) throw packets.unexpected('no answer to the query');
      while (!isEnd(await packets.read()));
      const rows: QueryResult['rows'][number][] = [];
      let size = 0;
      for (let count = 0; ; count += 1) {
        const payload = await packets.read();
        if (isEnd(payload)) return { ok: true, value: { rows, count } };
        const late = readError(payload);
        if (late) return { ok: false, error: late };
        if (rows.length > 0 && (rows.length >= maxRows || size + payload.length > maxPayloadBytes)) continue;
        rows.push(readRow(payload));
        size += payload.length;
      }
    },

    quit() {
      packets.restart();
      return packets.write(Buffer.from([1]), '(quit)');
    },
  };
}
