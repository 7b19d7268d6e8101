import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { md5Proof } from '../methods/postgresql/postgresql-login.ts';
import { messageOf } from '../methods/postgresql/postgresql-messages.ts';

export interface PostgresServerSettings {
  readonly user?: string;
  readonly password?: string;
  /** The method of the login; `gss` is one that the client does not know. */
  readonly auth?: 'scram' | 'md5' | 'password' | 'trust' | 'gss';
  readonly iterations?: number;
  /** A server that does not know the password sends a wrong signature, or no end of SCRAM at all. */
  readonly imposter?: 'wrong' | 'silent';
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Sent instead of an answer to the start of a session. */
  readonly refusal?: Buffer;
  /** Answers a query with whole messages. */
  readonly query?: (sql: string) => Buffer;
  /** The answer to a query does not end. */
  readonly isEndless?: boolean;
}

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const int16 = (value: number) => int32(value).subarray(2);

/** An ErrorResponse. */
export function errorMessage(code: string, text: string): Buffer {
  return messageOf('E', Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`));
}

/** A whole result: a description of the columns (name and OID of the type), rows, the end. */
export function resultMessages(
  columns: readonly (readonly [name: string, type: number])[],
  rows: readonly (readonly (string | null)[])[],
): Buffer {
  const described = columns.map(([name, type]) =>
    Buffer.concat([Buffer.from(`${name}\0`), Buffer.alloc(6), int32(type), int16(-1), int32(-1), int16(0)]),
  );
  const value = (text: string | null) =>
    text === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(text)), Buffer.from(text)]);
  return Buffer.concat([
    messageOf('T', Buffer.concat([int16(columns.length), ...described])),
    ...rows.map((row) => messageOf('D', Buffer.concat([int16(row.length), ...row.map(value)]))),
    messageOf('C', Buffer.from(`SELECT ${rows.length}\0`)),
  ]);
}

export const readyMessage = messageOf('Z', Buffer.from('I'));
const request = (kind: number, rest: Uint8Array = Buffer.alloc(0)) =>
  messageOf('R', Buffer.concat([int32(kind), rest]));
const welcome = Buffer.concat([
  request(0),
  messageOf('S', Buffer.from('server_version\0' + '16.3 (Debian 16.3-1)\0')),
  messageOf('K', Buffer.alloc(8)),
  readyMessage,
]);

/** Serves one connection like a healthy PostgreSQL, and checks the login. */
export function servePostgres(socket: Socket, settings: PostgresServerSettings = {}): void {
  const { user = 'probe', password = 'right', auth = 'scram', tls, refusal, query, isEndless } = settings;
  const salt = randomBytes(4);
  const scram = createScramServer(password, settings);
  let stream: Socket = socket;
  let waiting: Buffer = Buffer.alloc(0);
  let isStarted = false;
  let isIn = false;
  const denied = errorMessage('28P01', `password authentication failed for user "${user}"`);
  const first = {
    scram: request(10, Buffer.from('SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0')),
    md5: request(5, salt),
    password: request(3),
    trust: welcome,
    gss: request(7),
  };
  const enter = (isRight: boolean) => {
    isIn = isRight;
    stream.write(isRight ? welcome : denied);
  };
  const onStart = (body: Buffer) => {
    isStarted = true;
    const parameters = body.toString('utf8', 4).split('\0');
    const isKnown = parameters[parameters.indexOf('user') + 1] === user;
    isIn = auth === 'trust';
    stream.write(refusal ?? (isKnown || auth !== 'trust' ? first[auth] : denied));
  };
  const onProof = (payload: Buffer) => {
    const text = payload.toString('utf8').replace(/\0$/, '');
    if (auth === 'password') return enter(text === password);
    if (auth === 'md5') return enter(text === md5Proof(user, password, salt));
    const { answer, done } = scram(payload);
    if (answer === undefined) return enter(false);
    stream.write(answer);
    if (done) enter(true);
  };
  const onMessage = (type: string, payload: Buffer) => {
    if (type === 'p') onProof(payload);
    else if (type === 'X') stream.end();
    else if (type === 'Q' && isIn) {
      const sql = payload.toString('utf8').replace(/\0$/, '');
      const answer = query?.(sql) ?? errorMessage('42601', 'syntax error');
      stream.write(isEndless ? answer : Buffer.concat([answer, readyMessage]));
    }
  };
  const upgrade = (pair: { readonly key: string; readonly cert: string }) => {
    stream.off('data', onData);
    socket.pause();
    if (waiting.length > 0) socket.unshift(waiting);
    waiting = Buffer.alloc(0);
    stream = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(pair) });
    stream.on('error', () => {});
    stream.on('data', onData);
  };
  const onData = (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    while (true) {
      const head = isStarted ? 1 : 0;
      if (waiting.length < head + 4) return;
      const length = waiting.readInt32BE(head);
      if (waiting.length < head + length) return;
      const type = waiting.toString('latin1', 0, head);
      const body = waiting.subarray(head + 4, head + length);
      waiting = waiting.subarray(head + length);
      if (isStarted) onMessage(type, body);
      else if (body.readInt32BE(0) !== 80_877_103) onStart(body);
      else {
        stream.write(tls ? 'S' : 'N');
        if (tls) return upgrade(tls);
      }
    }
  };
  stream.on('data', onData);
}

/** The server's side of SCRAM-SHA-256 (RFC 5802), by the stored keys and not by the client's code. */
function createScramServer(password: string, { iterations = 4096, imposter }: PostgresServerSettings) {
  const salt = randomBytes(16);
  const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const salted = pbkdf2Sync(password, salt, Math.min(iterations, 4096), 32, 'sha256');
  const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest();
  let clientFirst = '';
  let serverFirst = '';
  return (payload: Buffer): { readonly answer?: Buffer; readonly done?: boolean } => {
    if (serverFirst === '') {
      clientFirst = payload.toString('utf8', payload.indexOf(0) + 5).replace(/^n,,/, '');
      const nonce = /r=(.*)$/.exec(clientFirst)?.[1] ?? '';
      serverFirst = `r=${nonce}${randomBytes(9).toString('base64')},s=${salt.toString('base64')},i=${iterations}`;
      return { answer: request(11, Buffer.from(serverFirst)) };
    }
    const [, withoutProof = '', proof = ''] = /^(.*),p=(.*)$/.exec(payload.toString('utf8')) ?? [];
    const signed = `${clientFirst},${serverFirst},${withoutProof}`;
    const signature = hmac(storedKey, signed);
    const clientKey = Buffer.from(proof, 'base64').map((byte, at) => byte ^ (signature[at] ?? 0));
    if (!createHash('sha256').update(clientKey).digest().equals(storedKey)) return {};
    const proved = hmac(hmac(salted, imposter === 'wrong' ? 'No Key' : 'Server Key'), signed);
    const final = request(12, Buffer.from(`v=${proved.toString('base64')}`));
    return { answer: imposter === 'silent' ? Buffer.alloc(0) : final, done: true };
  };
}
