import { createHash, createHmac, pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

// SCRAM-SHA-256 without channel binding (RFC 5802, RFC 7677), as PostgreSQL uses it.

/** PostgreSQL's default is 4096. More than this would only cost time on the agent. */
export const maxIterations = 200_000;
const maxSaltBytes = 1024;
/** No channel binding, no other identity. */
const header = 'n,,';

/** The proof of a password, and the answer that only a server with the same password knows. */
export interface ScramProof {
  /** The client's final message. */
  readonly message: string;
  /** Whether the server's final message proves that it knows the password. */
  isGenuine(serverFinal: string): boolean;
}

/** The client's first message. PostgreSQL takes the user's name from the start of the session. */
export function clientFirst(nonce: string, user = ''): string {
  return `${header}n=${user},r=${nonce}`;
}

/** A server's first message. */
export interface ScramChallenge {
  readonly nonce: string;
  readonly salt: Buffer;
  readonly iterations: number;
}

/** Reads the server's first message; undefined if it is malformed or does not continue the client's nonce. Pure. */
export function readChallenge(message: string, clientNonce: string): ScramChallenge | undefined {
  const [, nonce = '', salt = '', digits = ''] =
    /^r=([!-+\--~]{1,512}),s=([A-Za-z0-9+/]{1,2000}={0,2}),i=(\d{1,10})$/.exec(message) ?? [];
  const bytes = Buffer.from(salt, 'base64');
  const isContinued = nonce.startsWith(clientNonce) && nonce.length > clientNonce.length;
  if (!isContinued || bytes.length === 0 || bytes.length > maxSaltBytes || Number(digits) < 1)
    return undefined;
  return { nonce, salt: bytes, iterations: Number(digits) };
}

/** Proves the password. The caller checks the number of iterations. */
export async function proveScram(login: {
  readonly password: string;
  readonly clientFirst: string;
  readonly serverFirst: string;
  readonly challenge: ScramChallenge;
}): Promise<ScramProof> {
  const { challenge, serverFirst } = login;
  const salted = await promisify(pbkdf2)(
    preparedPassword(login.password),
    challenge.salt,
    challenge.iterations,
    32,
    'sha256',
  );
  const clientKey = hmac(salted, 'Client Key');
  const withoutProof = `c=${Buffer.from(header).toString('base64')},r=${challenge.nonce}`;
  const signed = `${login.clientFirst.slice(header.length)},${serverFirst},${withoutProof}`;
  const signature = hmac(createHash('sha256').update(clientKey).digest(), signed);
  const proof = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0)));
  const expected = hmac(hmac(salted, 'Server Key'), signed);
  return {
    message: `${withoutProof},p=${proof.toString('base64')}`,
    isGenuine(serverFinal) {
      const [, sent = ''] = /^v=([A-Za-z0-9+/]{1,100}={0,2})$/.exec(serverFinal) ?? [];
      const bytes = Buffer.from(sent, 'base64');
      return bytes.length === expected.length && timingSafeEqual(bytes, expected);
    },
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** SASLprep (RFC 4013) as far as it changes passwords: other blanks, invisible characters, compatible forms. */
export function preparedPassword(password: string): string {
  return password
    .replaceAll(/[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/g, ' ')
    .replaceAll(/\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/g, '')
    .normalize('NFKC');
}
