import { createHash } from 'node:crypto';
import { resultCode } from '@vantage/domain';
import type { Algorithms, AnyAuthMethod, AuthHandlerMiddleware, Client, ParsedKey } from 'ssh2';
import type { Connection } from '../../contract/dial.ts';
import { closedEarly, Failure, networkFailure, quoteShort } from '../../contract/failure.ts';
import type { ProbeContext } from '../../contract/probe.ts';
import type { Ssh2 } from './library.ts';

/** How to log in. */
export interface SshLogin {
  readonly user: string;
  readonly password: string | undefined;
  /** A private key, parsed. */
  readonly key: ParsedKey | undefined;
}

/** The outcome of a command. */
export interface CommandResult {
  /** Its first 64 KiB of output, and its first 4 KiB of errors. */
  readonly output: string;
  readonly errors: string;
  /** Undefined: the server did not report it. */
  readonly exitCode: number | undefined;
  /** The signal that ended it. */
  readonly signal: string | undefined;
}

/** An SSH connection after the key exchange and, where there is a login, after it. Disposing it disconnects. */
export interface SshSession extends Disposable {
  run(command: string): Promise<CommandResult>;
}

/** The algorithms of old devices are offered last, so that these can be checked too. */
const algorithms: Algorithms = {
  kex: { append: ['diffie-hellman-group14-sha1', 'diffie-hellman-group1-sha1'], prepend: [], remove: [] },
  serverHostKey: { append: ['ssh-dss'], prepend: [], remove: [] },
  cipher: { append: ['aes256-cbc', 'aes192-cbc', 'aes128-cbc', '3des-cbc'], prepend: [], remove: [] },
  hmac: { append: ['hmac-md5'], prepend: [], remove: [] },
};

const maxOutput = 64 * 1024;
const maxErrors = 4 * 1024;
/** A server may ask again and again; after so many rounds it gets no more answers. */
const maxPromptRounds = 3;

/**
 * Exchanges keys over a connection whose greeting was seen and logs in. `judgeHostKey` is asked before anything secret
 * is sent; a Failure it throws ends the session. Throws Failure 3 for a broken protocol, 8 for a login refused. No
 * agent, no forwarding.
 */
export async function openSession(
  context: ProbeContext,
  connection: Connection,
  settings: {
    readonly library: Ssh2;
    readonly judgeHostKey: (fingerprint: string) => void;
    readonly login: SshLogin | undefined;
  },
): Promise<SshSession> {
  const { library, login, judgeHostKey } = settings;
  const { peer, socket } = connection;
  const client = new library.Client();
  client.on('error', () => {});
  const end = () => void client.end();
  context.own({ [Symbol.dispose]: end });
  let stage: Stage = 'key exchange';
  await settled<void>(
    context,
    client,
    peer,
    () => stage,
    (resolve, reject) => {
      client.on('handshake', (negotiated) => {
        stage = 'login';
        context.addDetail('Algorithms', {
          KeyExchange: negotiated.kex,
          HostKey: negotiated.serverHostKey,
          Cipher: negotiated.cs.cipher,
        });
        if (!login) resolve();
      });
      client.on('ready', () => resolve());
      client.on('change password', () =>
        reject(refused(peer, 'the password has expired and must be changed')),
      );
      client.connect({
        sock: socket,
        username: login?.user ?? 'nobody',
        ident: 'vantage',
        readyTimeout: 0,
        algorithms,
        hostVerifier: (key: Buffer) => {
          try {
            const fingerprint = fingerprintOf(key);
            context.addDetail('HostKeyFingerprint', fingerprint);
            judgeHostKey(fingerprint);
            return true;
          } catch (error) {
            reject(error);
            return false;
          }
        },
        // Without a login nothing is answered here: the check ends with the key exchange.
        authHandler: login ? tryInTurn(login, context, peer, reject) : () => {},
      });
    },
  );
  return { run: (command) => runCommand(context, client, peer, command), [Symbol.dispose]: end };
}

/** `SHA256:…` as ssh-keygen shows it. */
export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

type Stage = 'key exchange' | 'login' | 'command';

function refused(peer: string, why: string): Failure {
  return new Failure(resultCode.login, `login refused by ${peer}: ${why}`);
}

/** One stage as a promise: ends also with the session's errors, its loss and the signal. */
function settled<T>(
  { signal }: Pick<ProbeContext, 'signal'>,
  client: Client,
  peer: string,
  stage: () => Stage,
  begin: (resolve: (value: T) => void, reject: (failure: unknown) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const finish = (then: () => void) => {
      signal.removeEventListener('abort', onAbort);
      client.off('error', onError).off('end', onEnd).off('close', onEnd);
      then();
    };
    const fail = (failure: unknown) => finish(() => reject(failure));
    const onAbort = () => fail(signal.reason);
    const onError = (error: Error & { level?: string }) => fail(sessionFailure(error, peer, stage()));
    const onEnd = () => fail(closedEarly(peer, `during the ${stage()}`));
    client.on('error', onError).on('end', onEnd).on('close', onEnd);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    else begin((value) => finish(() => resolve(value)), fail);
  });
}

function sessionFailure(error: Error & { level?: string }, peer: string, stage: Stage): Failure {
  if (error.level === 'client-socket') return networkFailure(error, peer);
  if (stage === 'login') return refused(peer, quoteShort(error.message, 200));
  return new Failure(
    resultCode.protocol,
    `SSH ${stage} with ${peer} failed: ${quoteShort(error.message, 200)}`,
    {
      cause: error,
    },
  );
}

/** Offers key, password and the password as an answer to a prompt, as far as the server accepts each. */
function tryInTurn(
  { user, password, key }: SshLogin,
  context: Pick<ProbeContext, 'addDetail'>,
  peer: string,
  reject: (failure: Failure) => void,
): AuthHandlerMiddleware {
  const untried: AnyAuthMethod[] = [];
  if (key) untried.push({ type: 'publickey', username: user, key });
  if (password !== undefined) {
    let rounds = 0;
    untried.push(
      { type: 'password', username: user, password },
      {
        type: 'keyboard-interactive',
        username: user,
        prompt: (_name, _instructions, _language, prompts, finish) => {
          rounds += 1;
          finish(rounds > maxPromptRounds ? [] : prompts.map(() => password));
        },
      },
    );
  }
  return (left, _partialSuccess, next) => {
    // Before the first try the server has not listed the methods that it accepts.
    const accepted: readonly string[] | undefined = Array.isArray(left) ? left : undefined;
    const at = untried.findIndex(({ type }) => accepted === undefined || accepted.includes(type));
    const [method] = at < 0 ? [] : untried.splice(at, 1);
    if (method) {
      context.addDetail('Auth', method.type);
      next(method);
      return;
    }
    const offers = accepted && accepted.length > 0 ? ` (it accepts ${accepted.join(', ')})` : '';
    reject(
      refused(
        peer,
        `${key ? 'neither key nor password' : 'the password'} of ${quoteShort(user)} is not accepted${offers}`,
      ),
    );
  };
}

function runCommand(
  context: Pick<ProbeContext, 'signal'>,
  client: Client,
  peer: string,
  command: string,
): Promise<CommandResult> {
  return settled(
    context,
    client,
    peer,
    () => 'command',
    (resolve, reject) => {
      client.exec(command, (error, stream) => {
        if (error) {
          reject(
            new Failure(
              resultCode.protocol,
              `${peer} refuses to run a command: ${quoteShort(error.message)}`,
            ),
          );
          return;
        }
        const [output, errors] = [createStore(maxOutput), createStore(maxErrors)];
        let exitCode: number | undefined;
        let signal: string | undefined;
        stream.on('data', output.add);
        stream.stderr.on('data', errors.add);
        stream.on('exit', (code: number | null, name?: string) => {
          exitCode = code ?? undefined;
          signal = name;
        });
        stream.on('close', () => resolve({ output: output.text(), errors: errors.text(), exitCode, signal }));
        stream.end();
      });
    },
  );
}

/** Keeps the first bytes and lets the rest go by. */
function createStore(most: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add: (chunk: Buffer) => {
      if (size < most) chunks.push(chunk.subarray(0, most - size));
      size += chunk.length;
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}
