import { createHash, randomBytes } from 'node:crypto';
import { resultCode } from '@vantage/domain';
import { quoteShort } from '../../contract/display.ts';
import { Failure } from '../../contract/failure.ts';
import type { PostgresChannel } from './postgresql-channel.ts';
import {
  messageOf,
  type PostgresAnswer,
  readError,
  readTexts,
  saslInitialMessage,
  startupMessage,
  textMessage,
} from './postgresql-messages.ts';
import { clientFirst, maxIterations, proveScram, readChallenge } from './scram.ts';

export interface PostgresLogin {
  readonly user: string;
  /** undefined: the user has none. */
  readonly password: string | undefined;
  readonly database: string | undefined;
}

/** An open session. */
export interface OpenSession {
  /** The method of the login: `SCRAM-SHA-256`, `md5`, `password`, `none`. */
  readonly auth: string;
  /** Settings that the server reports: `server_version`, `in_hot_standby` … */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The numbers of the requests for authentication. */
const request = { ok: 0, clear: 3, md5: 5, sasl: 10, saslContinue: 11, saslFinal: 12 } as const;
const otherRequests: Readonly<Record<number, string>> = {
  2: 'Kerberos',
  7: 'GSSAPI',
  8: 'GSSAPI',
  9: 'SSPI',
};
const scramName = 'SCRAM-SHA-256';
/** A login has at most four messages of authentication; a server also sends notices and parameters. */
const maxLoginMessages = 200;

/**
 * Logs in by the method that the server requests, and reads until it takes queries. Throws Failure 8 for a method that
 * is unknown or would reveal the password, and Failure 3 for messages that do not belong to a login.
 */
export async function logIn(
  channel: PostgresChannel,
  login: PostgresLogin,
  secure: boolean,
): Promise<PostgresAnswer<OpenSession>> {
  const { user, database } = login;
  await channel.write(
    startupMessage(user, database),
    `(start of user ${user}, database ${database ?? user})`,
  );
  const authentication = createAuthentication(channel, login, secure);
  const parameters = new Map<string, string>();
  for (let count = 0; count < maxLoginMessages; count += 1) {
    const { type, payload } = await channel.read();
    switch (type) {
      case 'E':
        return { ok: false, error: readError(payload) };
      case 'R':
        await authentication.answer(payload);
        break;
      case 'S': {
        const [name, value] = readTexts(payload);
        if (name !== undefined) parameters.set(name, value ?? '');
        break;
      }
      case 'Z':
        if (!authentication.isDone()) throw channel.unexpected('no end of the login');
        return { ok: true, value: { auth: authentication.name(), parameters } };
      case 'N':
      case 'K':
      case 'v':
        break;
      default:
        throw channel.unexpected('no answer to the login');
    }
  }
  throw channel.unexpected(`more than ${maxLoginMessages} messages of a login`);
}

/**
 * Starts a session as an unknown user, to see whether a server answers. Returns the error, or undefined where the
 * server requests a login or accepts any user.
 */
export async function knock(channel: PostgresChannel, user: string) {
  await channel.write(startupMessage(user, undefined), `(start of user ${user})`);
  for (let count = 0; count < maxLoginMessages; count += 1) {
    const { type, payload } = await channel.read();
    if (type === 'E') return readError(payload);
    if (type === 'R') return undefined;
  }
  throw channel.unexpected(`more than ${maxLoginMessages} messages of a login`);
}

interface Authentication {
  /** Answers a request for authentication. */
  answer(payload: Buffer): Promise<void>;
  /** Whether the server accepted the login. */
  isDone(): boolean;
  name(): string;
}

function createAuthentication(
  channel: PostgresChannel,
  { user, password }: PostgresLogin,
  secure: boolean,
): Authentication {
  let name = 'none';
  let done = false;
  let scram:
    | { continue(message: string): Promise<void>; end(message: string): void; isProved(): boolean }
    | undefined;

  const needed = () => {
    if (password !== undefined) return password;
    throw refused('the server wants a password: set Password');
  };
  return {
    isDone: () => done,
    name: () => name,
    async answer(payload) {
      if (payload.length < 4) throw channel.unexpected('no request for a login');
      const kind = payload.readInt32BE(0);
      const rest = payload.subarray(4);
      switch (kind) {
        case request.ok:
          if (scram && !scram.isProved())
            throw refused('the server did not prove that it knows the password');
          done = true;
          return;
        case request.clear:
          name = 'password';
          if (!secure) throw refused('the server wants the password in clear, which is sent over TLS only');
          return channel.write(textMessage('p', needed()), '(password ***)');
        case request.md5:
          name = 'md5';
          if (rest.length < 4) throw channel.unexpected('no salt');
          return channel.write(
            textMessage('p', md5Proof(user, needed(), rest.subarray(0, 4))),
            '(md5, password ***)',
          );
        case request.sasl: {
          const offered = readTexts(rest);
          if (!offered.includes(scramName))
            throw refused(`the server wants ${quoteShort(offered.join(', '))}, which is not known here`);
          name = scramName;
          scram = await startScram(channel, needed());
          return;
        }
        case request.saslContinue:
          if (!scram) throw channel.unexpected('a step of a login that has not begun');
          return scram.continue(rest.toString('utf8'));
        case request.saslFinal:
          if (!scram) throw channel.unexpected('a step of a login that has not begun');
          return scram.end(rest.toString('utf8'));
        default:
          throw refused(
            `the server wants the login method ${otherRequests[kind] ?? kind}, which is not known here`,
          );
      }
    },
  };
}

async function startScram(channel: PostgresChannel, password: string) {
  const nonce = randomBytes(18).toString('base64');
  const first = clientFirst(nonce);
  let proof: Awaited<ReturnType<typeof proveScram>> | undefined;
  let proved = false;
  await channel.write(saslInitialMessage(scramName, first), '(SCRAM-SHA-256)');
  return {
    isProved: () => proved,
    async continue(message: string) {
      const challenge = readChallenge(message, nonce);
      if (!challenge || proof) throw channel.unexpected('no challenge of SCRAM');
      if (challenge.iterations > maxIterations)
        throw refused(
          `the server wants ${challenge.iterations} rounds of SCRAM, at most ${maxIterations} are made`,
        );
      proof = await proveScram({ password, clientFirst: first, serverFirst: message, challenge });
      await channel.write(messageOf('p', Buffer.from(proof.message)), '(SCRAM-SHA-256, proof of ***)');
    },
    end(message: string) {
      proved = proof?.isGenuine(message) ?? false;
      if (!proved) throw refused('the server did not prove that it knows the password');
    },
  };
}

function refused(why: string): Failure {
  return new Failure(resultCode.login, `login refused: ${why}`);
}

/** `md5` and MD5(MD5(password + user) + salt), in hexadecimal digits. */
export function md5Proof(user: string, password: string, salt: Uint8Array): string {
  const inner = createHash('md5')
    .update(password + user)
    .digest('hex');
  return `md5${createHash('md5').update(inner).update(salt).digest('hex')}`;
}
