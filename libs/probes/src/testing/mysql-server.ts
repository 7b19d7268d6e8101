import { createPrivateKey, generateKeyPairSync, privateDecrypt, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { cachingSha2Scramble, nativeScramble } from '../methods/mysql/mysql-login.ts';
import { packetOf } from '../methods/mysql/mysql-packets.ts';

export interface MysqlServerSettings {
  readonly user?: string;
  readonly password?: string;
  /** The login method of its users. The greeting suggests `suggests`. */
  readonly plugin?: string;
  readonly suggests?: string;
  /** caching_sha2_password: whether the proof of the password is cached. */
  readonly cached?: boolean;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Answers a query with the packets' payloads. */
  readonly query?: (sql: string) => readonly Buffer[];
  /** Collects the bytes that clients send after their login. */
  readonly received?: Buffer[];
}

const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** An OK packet's payload. */
const okPacket = Buffer.from([0, 0, 0, 2, 0, 0, 0]);
const end = Buffer.from([0xfe, 0, 0, 2, 0]);

/** An ERR packet's payload. */
export function errorPacket(code: number, message: string): Buffer {
  return Buffer.concat([Buffer.from([0xff, code & 0xff, code >> 8]), Buffer.from(`#HY000${message}`)]);
}

/** A result set's payloads: one column definition for each value of the first row. */
export function resultPackets(rows: readonly (readonly (string | null)[])[]): readonly Buffer[] {
  const text = (value: string | null) =>
    value === null ? Buffer.from([0xfb]) : Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
  const columns = rows[0]?.map((_value, at) => Buffer.from(`\x03def column ${at}`)) ?? [
    Buffer.from('\x03def'),
  ];
  const bodies = rows.map((row) => Buffer.concat(row.map(text)));
  return [Buffer.from([columns.length]), ...columns, end, ...bodies, end];
}

/** A greeting's payload. */
export function greetingPacket(nonce: Buffer, plugin: string, tls: boolean): Buffer {
  const flags = 0x8 | 0x200 | 0x8000 | 0x80000 | (tls ? 0x800 : 0);
  const fixed = Buffer.alloc(19);
  fixed.writeUInt16LE(flags & 0xffff, 0);
  fixed[2] = 45;
  fixed.writeUInt16LE(flags >>> 16, 5);
  fixed[7] = 21;
  const head = [
    Buffer.from('\x0a8.0.36-test\0'),
    Buffer.from([7, 0, 0, 0]),
    nonce.subarray(0, 8),
    Buffer.from([0]),
  ];
  return Buffer.concat([
    ...head,
    fixed.subarray(0, 18),
    nonce.subarray(8),
    Buffer.from([0]),
    Buffer.from(`${plugin}\0`),
  ]);
}

/** The server's answer to a packet, and its next state. */
interface ServerStep {
  readonly state: ServerState;
  readonly payloads: readonly Buffer[];
  /** The client's next bytes are TLS, or the server closes. */
  readonly next?: 'tls' | 'close';
}

type ServerState = 'login' | 'switched' | 'key' | 'full' | 'ready';

/** A server's settings with their defaults, and its nonce. */
interface MysqlAccount extends MysqlServerSettings {
  readonly user: string;
  readonly password: string;
  readonly plugin: string;
  readonly suggests: string;
  readonly cached: boolean;
  readonly nonce: Buffer;
}

/** Serves one connection like a healthy MySQL server, and checks the login. */
export function serveMysql(socket: Socket, settings: MysqlServerSettings = {}): void {
  const { user = 'probe', password = 'right', plugin = 'mysql_native_password', cached = true } = settings;
  const nonce = Buffer.from(randomBytes(20).map((byte) => byte || 1));
  const suggests = settings.suggests ?? plugin;
  const account: MysqlAccount = { ...settings, user, password, plugin, cached, suggests, nonce };
  let stream: Socket = socket;
  let waiting: Buffer = Buffer.alloc(0);
  let sequence = 0;
  let state: ServerState = 'login';

  const send = (payload: Buffer) => {
    stream.write(packetOf(sequence, payload));
    sequence += 1;
  };
  const upgrade = (tls: { readonly key: string; readonly cert: string }) => {
    stream.off('data', onData);
    // The client's first TLS bytes may have come along with its request.
    socket.pause();
    if (waiting.length > 0) socket.unshift(waiting);
    waiting = Buffer.alloc(0);
    stream = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(tls) });
    stream.on('error', () => {});
    stream.on('data', onData);
  };
  const onPacket = (payload: Buffer) => {
    if (state === 'ready') settings.received?.push(payload);
    const step = afterPacket(state, payload, account);
    state = step.state;
    for (const answer of step.payloads) send(answer);
    if (step.next === 'close') stream.end();
    if (step.next === 'tls' && settings.tls) upgrade(settings.tls);
  };
  const onData = (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUIntLE(0, 3)) {
      const length = waiting.readUIntLE(0, 3);
      const payload = waiting.subarray(4, 4 + length);
      sequence = (waiting[3] ?? 0) + 1;
      waiting = waiting.subarray(4 + length);
      onPacket(payload);
    }
  };
  stream.on('data', onData);
  send(greetingPacket(nonce, suggests, settings.tls !== undefined));
}

function afterPacket(state: ServerState, payload: Buffer, account: MysqlAccount): ServerStep {
  switch (state) {
    case 'login':
      return afterLogin(payload, account);
    case 'switched':
      return afterProof(payload, account);
    case 'full':
      if (payload.length !== 1 || payload[0] !== 2) return afterPassword(payload, account);
      return { state: 'key', payloads: [Buffer.concat([Buffer.from([1]), Buffer.from(pair.publicKey)])] };
    case 'key': {
      const hidden = privateDecrypt({ key: createPrivateKey(pair.privateKey), oaepHash: 'sha1' }, payload);
      return afterPassword(
        Buffer.from(hidden.map((byte, at) => byte ^ (account.nonce[at % 20] ?? 0))),
        account,
      );
    }
    case 'ready':
      if (payload[0] === 1) return { state, payloads: [], next: 'close' };
      return { state, payloads: account.query?.(payload.toString('utf8', 1)) ?? [okPacket] };
  }
}

function afterLogin(payload: Buffer, account: MysqlAccount): ServerStep {
  if (payload.length === 32 && account.tls) return { state: 'login', payloads: [], next: 'tls' };
  const nameEnd = payload.indexOf(0, 32);
  const proofStart = nameEnd + 2;
  const proof = payload.subarray(proofStart, proofStart + (payload[nameEnd + 1] ?? 0));
  if (payload.toString('utf8', 32, nameEnd) !== account.user) return refused('login', account);
  if (account.suggests === account.plugin) return afterProof(proof, account);
  const plugin = Buffer.from(`\xfe${account.plugin}\0`, 'latin1');
  return { state: 'switched', payloads: [Buffer.concat([plugin, account.nonce, Buffer.from([0])])] };
}

function afterProof(proof: Buffer, account: MysqlAccount): ServerStep {
  const { plugin, password, nonce, cached } = account;
  if (plugin === 'mysql_clear_password') return afterPassword(proof, account);
  const isNative = plugin === 'mysql_native_password';
  if (plugin === 'caching_sha2_password' && !cached)
    return { state: 'full', payloads: [Buffer.from([1, 4])] };
  const expected = isNative ? nativeScramble(password, nonce) : cachingSha2Scramble(password, nonce);
  if (!proof.equals(expected)) return refused('login', account);
  const isKnown = plugin === 'caching_sha2_password' ? [Buffer.from([1, 3])] : [];
  return { state: 'ready', payloads: [...isKnown, okPacket] };
}

function afterPassword(clear: Buffer, account: MysqlAccount): ServerStep {
  const isRight = clear.toString() === `${account.password}\0`;
  return isRight ? { state: 'ready', payloads: [okPacket] } : refused('full', account);
}

function refused(state: ServerState, { user }: MysqlAccount): ServerStep {
  return { state, payloads: [errorPacket(1045, `Access denied for user '${user}'@'localhost'`)] };
}
