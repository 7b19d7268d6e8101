import { createHash } from 'node:crypto';
import { resultCode } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import type { ParsedKey } from 'ssh2';
import { z } from 'zod';
import { Failure, notMet, quoteShort } from '../../contract/failure.ts';
import { ipFamilyOption, slowMsOption, textOption } from '../../contract/options.ts';
import type { Probe, ProbeContext, Target } from '../../contract/probe.ts';
import { parseTarget } from '../../contract/target.ts';
import { notSearched, searchText } from '../../search/text-search.ts';
import { awaitGreeting } from './greeting.ts';
import { loadSsh2, type Ssh2 } from './library.ts';
import { looksLikeKey } from './private-key.ts';
import { type CommandResult, openSession, type SshLogin } from './session.ts';

const options = z.strictObject({
  User: textOption(255).describe('User name to log in with; default: the one in the URL, else no login.'),
  Password: textOption(1000).describe('Password to log in with; default: the one in the URL.'),
  PrivateKey: textOption(32 * 1024).describe('Private key to log in with (OpenSSH or PEM).'),
  Passphrase: textOption(1000).describe('Passphrase of the private key.'),
  HostKeyFingerprint: boundedText(100)
    .regex(
      /^SHA256:[A-Za-z0-9+/]{43}=?$/,
      'must be SHA256: and 43 characters of Base64, as ssh-keygen -l shows it',
    )
    .optional()
    .describe("The server's host key must have this fingerprint; nothing secret is sent otherwise."),
  Command: textOption(8192).describe('Command to run after the login; its input is empty.'),
  ExpectOutput: textOption(4096).describe("Text that the command's output must contain (its first 64 KiB)."),
  ExpectExitCode: z
    .int()
    .min(0)
    .max(255)
    .optional()
    .describe("The command's exit code; default: 0, where the server sends one."),
  ExpectBanner: textOption(500).describe("Text that the server's version line must contain."),
  SlowMs: slowMsOption,
  IPFamily: ipFamilyOption,
});

type SshOptions = z.output<typeof options>;

/**
 * SSH: greeting, key exchange and, where asked for, login and a command. The greeting is TTFB, all after it TTLB. The
 * host key's fingerprint is a fact of every check.
 */
export const ssh: Probe<'SSH', typeof options> = {
  method: 'SSH',
  purpose: 'Reads the version of an SSH server, and compares its host key or logs in where `Options` say so.',
  example: { URL: 'ssh.example.com', ShortName: 'ssh-1', Options: { ExpectBanner: 'OpenSSH' } },
  optionsCase: 'ssh',
  tracePackets: 'tcp',
  options,
  secretOptions: ['Password', 'PrivateKey', 'Passphrase'],
  scriptFunctions: {
    ssh: {
      description: 'Greets an SSH server, logs in and runs a command.',
      target: 'host and port',
      result: { output: { type: 'string' }, exitCode: { type: 'number | null' } },
    },
  },
  parseTarget: (url) =>
    parseTarget(url, {
      schemes: { ssh: 22 },
      scheme: 'ssh',
      credentials: true,
      accepts: 'host, host:port, [v6]:port or ssh://user:password@host:port, for example host.example.org:22',
    }),

  async run(context, target, wanted) {
    const library = await loadSsh2();
    const login = loginOf(library, target, wanted);
    using connection = await context.dial.connect(context, {
      host: target.host,
      port: target.port,
      family: wanted.IPFamily,
    });
    const version = await awaitGreeting(context, connection);
    if (wanted.ExpectBanner !== undefined && !version.includes(wanted.ExpectBanner)) {
      throw notMet(`expected a banner with ${quoteShort(wanted.ExpectBanner)}, got ${quoteShort(version)}`);
    }
    const judgeHostKey = (fingerprint: string) => judgeFingerprint(fingerprint, wanted.HostKeyFingerprint);
    using session = await openSession(context, connection, { library, judgeHostKey, login });
    const result = wanted.Command === undefined ? undefined : await session.run(wanted.Command);
    context.stopwatch.pause();
    if (result) await judgeCommand(context, result, wanted);
    const text = [version, login && 'login accepted', result && 'command as expected']
      .filter(Boolean)
      .join(', ');
    return {
      code: resultCode.ok,
      text,
      dataSize: connection.socket.bytesRead,
      extended: {},
      answer: () => ({ output: result?.output ?? '', exitCode: result?.exitCode ?? null }),
    };
  },
};

/** Who logs in, or nobody; Options go before the URL. Throws Failure 8 for settings that cannot log in. */
function loginOf(library: Ssh2, target: Target, wanted: SshOptions): SshLogin | undefined {
  const user = wanted.User ?? target.user;
  const password = wanted.Password ?? target.password?.reveal();
  const cannot = (why: string) => new Failure(resultCode.login, why);
  if (user === undefined || user === '') {
    if (password !== undefined || wanted.PrivateKey !== undefined) {
      throw cannot('a password or key is set but no user name');
    }
    if (wanted.Command !== undefined)
      throw cannot('a command needs a login: set User and Password or PrivateKey');
    return undefined;
  }
  if (password === undefined && wanted.PrivateKey === undefined) {
    throw cannot('a user name is set but neither Password nor PrivateKey');
  }
  return { user, password, key: parseKey(library, wanted) };
}

/** Keys read before, by the hash of their text and passphrase: to open an encrypted one takes a third of a second. */
const keysRead = new Map<string, ReturnType<Ssh2['utils']['parseKey']>>();
const maxKeysRead = 100;

function readKey(
  library: Ssh2,
  text: string,
  passphrase: string | undefined,
): ReturnType<Ssh2['utils']['parseKey']> {
  const id = createHash('sha256')
    .update(JSON.stringify([text, passphrase]))
    .digest('base64');
  const known = keysRead.get(id);
  if (known !== undefined) return known;
  const parsed = library.utils.parseKey(text, passphrase);
  const [oldest] = keysRead.keys();
  if (keysRead.size >= maxKeysRead && oldest !== undefined) keysRead.delete(oldest);
  keysRead.set(id, parsed);
  return parsed;
}

function parseKey(library: Ssh2, { PrivateKey, Passphrase }: SshOptions): ParsedKey | undefined {
  if (PrivateKey === undefined) return undefined;
  const parsed = looksLikeKey(PrivateKey)
    ? readKey(library, PrivateKey, Passphrase)
    : new Error('no private key, or one that takes too long to open');
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  if (key === undefined || key instanceof Error || !key.isPrivateKey()) {
    const encrypted = key instanceof Error && /encrypted|passphrase|decrypt|integrity/i.test(key.message);
    const why = encrypted
      ? 'its passphrase is missing or wrong'
      : 'it is no private key in OpenSSH or PEM form';
    throw new Failure(resultCode.login, `the PrivateKey set for this device cannot be used: ${why}`);
  }
  return key;
}

function judgeFingerprint(fingerprint: string, expected: string | undefined): void {
  if (expected === undefined || expected.replace(/=$/, '') === fingerprint) return;
  throw notMet(`host key is ${fingerprint}, expected ${expected}`);
}

async function judgeCommand(context: ProbeContext, result: CommandResult, wanted: SshOptions): Promise<void> {
  const { output, errors, exitCode, signal } = result;
  context.addDetail('ExitCode', exitCode ?? null);
  context.diagnostics('Output', output.slice(0, 4096));
  context.diagnostics('ErrorOutput', errors);
  if (signal !== undefined) throw notMet(`the command was ended by ${signal}`);
  const expected = wanted.ExpectExitCode ?? 0;
  if (exitCode === undefined && wanted.ExpectExitCode !== undefined) {
    throw notMet(`expected exit code ${expected}, but the server sent none`);
  }
  if (exitCode !== undefined && exitCode !== expected) {
    const said = errors.trim() === '' ? '' : `: ${quoteShort(errors)}`;
    throw notMet(`expected exit code ${expected}, got ${exitCode}${said}`);
  }
  if (wanted.ExpectOutput === undefined) return;
  const found = await searchText(output, wanted.ExpectOutput, context.signal);
  if (found.kind === 'match') return;
  if (found.kind !== 'none') throw notSearched(found, quoteShort(wanted.ExpectOutput), 'output');
  throw notMet(`expected output with ${quoteShort(wanted.ExpectOutput)}, got ${quoteShort(output)}`);
}
