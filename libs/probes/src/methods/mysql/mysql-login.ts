import { constants, createHash, publicEncrypt } from 'node:crypto';
import { resultCode } from '@vantage/domain';
import { quoteShort } from '../../contract/display.ts';
import { Failure } from '../../contract/failure.ts';
import type { MysqlPackets } from './mysql-channel.ts';
import {
  loginPacket,
  type MysqlAnswer,
  readError,
  readSwitch,
  type ServerGreeting,
} from './mysql-packets.ts';

export interface MysqlLogin {
  readonly user: string;
  readonly password: string;
}

/** The connection of a login. */
export interface LoginConnection {
  readonly packets: MysqlPackets;
  readonly greeting: ServerGreeting;
  readonly flags: number;
  readonly database: string | undefined;
  readonly secure: boolean;
}

const maxLoginSteps = 10;

/**
 * Logs in with the method that the server requests. Returns this method, or the server's error. Throws Failure 8 for a
 * method that is unknown or would reveal the password, and Failure 3 for packets that do not belong to a login.
 */
export async function logIn(
  { packets, greeting, flags, database, secure }: LoginConnection,
  { user, password }: MysqlLogin,
): Promise<MysqlAnswer<string>> {
  let { plugin, nonce } = greeting;
  let proof = proofOf(plugin, password, nonce, secure);
  if (proof === undefined) {
    // The suggestion does not depend on the user: the server may switch to a known method.
    plugin = 'mysql_native_password';
    proof = nativeScramble(password, nonce);
  }
  await packets.write(
    loginPacket({ flags, user, proof, database, plugin }),
    `(login of ${user}, password ***)`,
  );
  for (let step = 0; step < maxLoginSteps; step += 1) {
    const payload = await packets.read();
    const error = readError(payload);
    if (error) return { ok: false, error };
    if (payload[0] === 0) return { ok: true, value: plugin };
    const other = readSwitch(payload);
    if (other) {
      ({ plugin, nonce } = other);
      const next = proofOf(plugin, password, nonce, secure);
      if (next === undefined) throw refuseMethod(plugin);
      await packets.write(next, `(${plugin}, password ***)`);
    } else await answerStep({ packets, plugin, password, nonce, secure }, payload);
  }
  throw packets.unexpected(`more than ${maxLoginSteps} steps of a login`);
}

interface LoginStep {
  readonly packets: MysqlPackets;
  readonly plugin: string;
  readonly password: string;
  readonly nonce: Buffer;
  readonly secure: boolean;
}

/** Answers a payload that neither ends the login nor changes its method. */
async function answerStep(step: LoginStep, payload: Buffer): Promise<void> {
  const { packets, plugin } = step;
  if (payload[0] === 0xfe) throw refuseMethod('mysql_old_password');
  if (payload[0] !== 1) throw packets.unexpected('no answer to the login');
  if (plugin === 'sha256_password') return sendEncrypted(step, payload.subarray(1));
  const isFull = payload[1] === 4;
  const isFast = payload[1] === 3;
  if (plugin !== 'caching_sha2_password' || !(isFull || isFast))
    throw packets.unexpected('no known step of the login');
  if (isFull) await sendPassword(step);
}

/** Full authentication of `caching_sha2_password`: the server has no proof of this password in its cache. */
async function sendPassword(step: LoginStep): Promise<void> {
  const { packets, password, secure } = step;
  if (secure) return packets.write(Buffer.from(`${password}\0`), '(password ***)');
  await packets.write(Buffer.from([2]), '(request for the public key)');
  const answer = await packets.read();
  if (answer[0] !== 1) throw packets.unexpected('no public key');
  return sendEncrypted(step, answer.subarray(1));
}

function sendEncrypted({ packets, password, nonce }: LoginStep, key: Buffer): Promise<void> {
  try {
    return packets.write(rsaPassword(password, nonce, key.toString('latin1')), '(password ***, encrypted)');
  } catch {
    throw packets.unexpected('a public key that cannot be used');
  }
}

/** The proof of the password for a login method; undefined for an unknown method. */
function proofOf(plugin: string, password: string, nonce: Buffer, secure: boolean): Buffer | undefined {
  switch (plugin) {
    case 'mysql_native_password':
      return nativeScramble(password, nonce);
    case 'caching_sha2_password':
      return cachingSha2Scramble(password, nonce);
    case 'sha256_password':
      // Over TLS the password in clear, else a 1, which requests the server's key.
      return secure || password === '' ? Buffer.from(`${password}\0`) : Buffer.from([1]);
    case 'mysql_clear_password':
      return secure ? Buffer.from(`${password}\0`) : undefined;
    default:
      return undefined;
  }
}

function refuseMethod(plugin: string): Failure {
  const why =
    plugin === 'mysql_clear_password'
      ? 'the server wants the password in clear, which is sent over TLS only'
      : `the server wants the login method ${quoteShort(plugin)}, which is not known here`;
  return new Failure(resultCode.login, `login refused: ${why}`);
}

/** `mysql_native_password`: SHA1(password) XOR SHA1(nonce + SHA1(SHA1(password))); nothing for an empty password. */
export function nativeScramble(password: string, nonce: Buffer): Buffer {
  if (password === '') return Buffer.alloc(0);
  const once = digest('sha1', Buffer.from(password));
  return xor(once, digest('sha1', nonce, digest('sha1', once)));
}

/**
 * `caching_sha2_password`: SHA256(password) XOR SHA256(SHA256(SHA256(password)) + nonce); nothing for an empty
 * password.
 */
export function cachingSha2Scramble(password: string, nonce: Buffer): Buffer {
  if (password === '') return Buffer.alloc(0);
  const once = digest('sha256', Buffer.from(password));
  return xor(once, digest('sha256', digest('sha256', once), nonce));
}

/** The password, encrypted with the server's RSA key (full authentication of the SHA-2 methods without TLS). */
function rsaPassword(password: string, nonce: Buffer, publicKeyPem: string): Buffer {
  const scrambled = xor(Buffer.from(`${password}\0`), nonce);
  return publicEncrypt({ key: publicKeyPem, padding: constants.RSA_PKCS1_OAEP_PADDING }, scrambled);
}

function digest(name: string, ...parts: readonly Buffer[]): Buffer {
  const hash = createHash(name);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function xor(bytes: Buffer, key: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, at) => byte ^ (key[at % key.length] ?? 0)));
}
