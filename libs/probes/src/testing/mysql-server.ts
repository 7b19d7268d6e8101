import { createPrivateKey, generateKeyPairSync, privateDecrypt, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { cachingSha2Scramble, nativeScramble } from '../methods/mysql/auth.ts';
import { packetOf } from '../methods/mysql/packets.ts';

/** How the test's MySQL server behaves. */
export interface MysqlServerSettings {
  readonly user?: string;
  readonly password?: string;
  /** The method of its users; the greeting suggests `suggests`. */
  readonly plugin?: string;
  readonly suggests?: string;
  /** caching_sha2_password: does it know the password's proof already? */
  readonly cached?: boolean;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Answers a query with the packets' payloads. */
  readonly query?: (sql: string) => readonly Buffer[];
  /** What clients sent after their login, raw. */
  readonly heard?: Buffer[];
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

/** Serves one connection as a healthy MySQL server does; the login's fields are read for real and its proof is checked. */
export function serveMysql(socket: Socket, settings: MysqlServerSettings = {}): void {
  const { user = 'probe', password = 'right', plugin = 'mysql_native_password', cached = true } = settings;
  const suggests = settings.suggests ?? plugin;
  const nonce = Buffer.from(randomBytes(20).map((byte) => byte || 1));
  let stream: Socket = socket;
  let waiting: Buffer = Buffer.alloc(0);
  let sequence = 0;
  let state: 'login' | 'switched' | 'key' | 'full' | 'ready' = 'login';

  const send = (payload: Buffer) => {
    stream.write(packetOf(sequence, payload));
    sequence += 1;
  };
  const accept = () => {
    state = 'ready';
    send(okPacket);
  };
  const refuse = () => send(errorPacket(1045, `Access denied for user '${user}'@'localhost'`));
  const prove = (proof: Buffer) => {
    const expected =
      plugin === 'mysql_native_password'
        ? nativeScramble(password, nonce)
        : cachingSha2Scramble(password, nonce);
    if (plugin === 'mysql_clear_password') return proof.toString() === `${password}\0` ? accept() : refuse();
    if (plugin === 'caching_sha2_password' && !cached) {
      state = 'full';
      return send(Buffer.from([1, 4]));
    }
    if (!proof.equals(expected)) return refuse();
    if (plugin === 'caching_sha2_password') send(Buffer.from([1, 3]));
    return accept();
  };
  const onLogin = (payload: Buffer) => {
    if (payload.length === 32 && settings.tls) return upgrade(settings.tls);
    const nameEnd = payload.indexOf(0, 32);
    const proofStart = nameEnd + 2;
    const proof = payload.subarray(proofStart, proofStart + (payload[nameEnd + 1] ?? 0));
    if (payload.toString('utf8', 32, nameEnd) !== user) return refuse();
    if (suggests === plugin) return prove(proof);
    state = 'switched';
    return send(Buffer.concat([Buffer.from(`\xfe${plugin}\0`, 'latin1'), nonce, Buffer.from([0])]));
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
  const onFull = (payload: Buffer) => {
    if (payload.length === 1 && payload[0] === 2) {
      state = 'key';
      return send(Buffer.concat([Buffer.from([1]), Buffer.from(pair.publicKey)]));
    }
    return payload.toString() === `${password}\0` ? accept() : refuse();
  };
  const onKey = (payload: Buffer) => {
    const hidden = privateDecrypt({ key: createPrivateKey(pair.privateKey), oaepHash: 'sha1' }, payload);
    const clear = Buffer.from(hidden.map((byte, at) => byte ^ (nonce[at % 20] ?? 0)));
    return clear.toString() === `${password}\0` ? accept() : refuse();
  };
  const onPacket = (payload: Buffer) => {
    switch (state) {
      case 'login':
        return onLogin(payload);
      case 'switched':
        return prove(payload);
      case 'full':
        return onFull(payload);
      case 'key':
        return onKey(payload);
      case 'ready':
        settings.heard?.push(payload);
        if (payload[0] === 1) return void stream.end();
        for (const each of settings.query?.(payload.toString('utf8', 1)) ?? [okPacket]) send(each);
        return undefined;
    }
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
