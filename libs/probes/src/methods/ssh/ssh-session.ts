import { createHash } from 'node:crypto';
import { resultCode } from '@vantage/domain';
import type { Algorithms, AnyAuthMethod, AuthHandlerMiddleware, Client } from 'ssh2';
import type { Connection } from '../../contract/dial.ts';
import { quoteShort } from '../../contract/display.ts';
import { closedEarly, Failure, networkFailure } from '../../contract/failure.ts';
import type { ProbeContext } from '../../contract/probe.ts';
import type { SshLogin } from './ssh-login.ts';
import type { Ssh2 } from './ssh2-library.ts';

export interface CommandResult {
  /** The first 64 KiB. */
  readonly output: string;
  /** The first 4 KiB. */
  readonly errors: string;
  /** Undefined: the server did not report it. */
  readonly exitCode: number | undefined;
  /** The signal that ended it. */
  readonly signal: string | undefined;
}

/** An SSH connection after the key exchange and the login, if there is one. Disposing it disconnects. */
export interface SshSession extends Disposable {
  run(command: string): Promise<CommandResult>;
}

/** The algorithms of old devices are offered last. */
const algorithms: Algorithms = {
  kex: { append: ['diffie-hellman-group14-sha1', 'diffie-hellman-group1-sha1'], prepend: [], remove: [] },
  serverHostKey: { append: ['ssh-dss'], prepend: [], remove: [] },
  cipher: { append: ['aes256-cbc', 'aes192-cbc', 'aes128-cbc', '3des-cbc'], prepend: [], remove: [] },
  hmac: { append: ['hmac-md5'], prepend: [], remove: [] },
};

const maxOutput = 64 * 1024;
const maxErrors = 4 * 1024;
/** After this many prompts the server gets no more answers. */
const maxPromptRounds = 3;

/**
 * Exchanges keys over a connection whose greeting was read, and logs in. `judgeHostKey` runs before anything secret is
 * sent; a Failure that it throws ends the session. Throws Failure 3 for a protocol error and 8 for a refused login.
 * There is no SSH agent and no forwarding.
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
  let stage: SshStage = 'key exchange';
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
        // Without a login the check ends with the key exchange.
        authHandler: login ? authMethods(login, context, peer, reject) : () => {},
      });
    },
  );
  return { run: (command) => runCommand(context, client, peer, command), [Symbol.dispose]: end };
}

/** `SHA256:…` as ssh-keygen shows it. */
export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

type SshStage = 'key exchange' | 'login' | 'command';

function refused(peer: string, why: string): Failure {
  return new Failure(resultCode.login, `login refused by ${peer}: ${why}`);
}

/** Runs one stage of a session. The promise also ends with an error or the end of the session, and with the signal. */
function settled<T>(
  { signal }: Pick<ProbeContext, 'signal'>,
  client: Client,
  peer: string,
  stage: () => SshStage,
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

function sessionFailure(error: Error & { level?: string }, peer: string, stage: SshStage): Failure {
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

/** Offers the key, the password, and the password as an answer to prompts, if the server accepts the method. */
function authMethods(
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
    // Before the first attempt the server has not listed its methods.
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
        const [output, errors] = [createTextStart(maxOutput), createTextStart(maxErrors)];
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

/** Collects the first bytes of a text. */
function createTextStart(maxBytes: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add: (chunk: Buffer) => {
      if (size < maxBytes) chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}
