import { resultCode } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { quoteShort } from '../../contract/display.ts';
import { notMet } from '../../contract/failure.ts';
import { ipFamilyOption, slowMsOption, textOption } from '../../contract/options.ts';
import type { Probe, ProbeContext } from '../../contract/probe.ts';
import { parseTarget } from '../../contract/target.ts';
import { notSearched, searchText } from '../../search/text-search.ts';
import { awaitGreeting } from './ssh-greeting.ts';
import { loginOf } from './ssh-login.ts';
import { type CommandResult, openSession } from './ssh-session.ts';
import { loadSsh2 } from './ssh2-library.ts';

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
 * SSH: greeting, key exchange and, if they are set, login and a command. TTFB ends with the greeting, TTLB is all after
 * it. The fingerprint of the host key is in the extended data of every check.
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

  async run(context, target, settings) {
    const library = await loadSsh2();
    const login = loginOf(library, target, settings);
    using connection = await context.dial.connect(context, {
      host: target.host,
      port: target.port,
      family: settings.IPFamily,
    });
    const version = await awaitGreeting(context, connection);
    if (settings.ExpectBanner !== undefined && !version.includes(settings.ExpectBanner)) {
      throw notMet(`expected a banner with ${quoteShort(settings.ExpectBanner)}, got ${quoteShort(version)}`);
    }
    const judgeHostKey = (fingerprint: string) => judgeFingerprint(fingerprint, settings.HostKeyFingerprint);
    using session = await openSession(context, connection, { library, judgeHostKey, login });
    const result = settings.Command === undefined ? undefined : await session.run(settings.Command);
    context.stopwatch.pause();
    if (result) await judgeCommand(context, result, settings);
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

function judgeFingerprint(fingerprint: string, expected: string | undefined): void {
  if (expected === undefined || expected.replace(/=$/, '') === fingerprint) return;
  throw notMet(`host key is ${fingerprint}, expected ${expected}`);
}

async function judgeCommand(
  context: ProbeContext,
  result: CommandResult,
  settings: SshOptions,
): Promise<void> {
  const { output, errors, exitCode, signal } = result;
  context.addDetail('ExitCode', exitCode ?? null);
  context.diagnostics('Output', output.slice(0, 4096));
  context.diagnostics('ErrorOutput', errors);
  if (signal !== undefined) throw notMet(`the command was ended by ${signal}`);
  const expected = settings.ExpectExitCode ?? 0;
  if (exitCode === undefined && settings.ExpectExitCode !== undefined) {
    throw notMet(`expected exit code ${expected}, but the server sent none`);
  }
  if (exitCode !== undefined && exitCode !== expected) {
    const errorText = errors.trim() === '' ? '' : `: ${quoteShort(errors)}`;
    throw notMet(`expected exit code ${expected}, got ${exitCode}${errorText}`);
  }
  if (settings.ExpectOutput === undefined) return;
  const found = await searchText(output, settings.ExpectOutput, context.signal);
  if (found.kind === 'match') return;
  if (found.kind !== 'none') throw notSearched(found, quoteShort(settings.ExpectOutput), 'output');
  throw notMet(`expected output with ${quoteShort(settings.ExpectOutput)}, got ${quoteShort(output)}`);
}
