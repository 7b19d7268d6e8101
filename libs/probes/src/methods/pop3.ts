import { createHash } from 'node:crypto';
import { resultCode } from '@vantage/domain';
import { z } from 'zod';
import { quoteShort } from '../contract/display.ts';
import { Failure } from '../contract/failure.ts';
import { tlsSecretOptions } from '../contract/options.ts';
import type { Probe, ProbeContext, ProbeOutcome } from '../contract/probe.ts';
import type { Dialogue } from '../dialogue/dialogue.ts';
import {
  judgeBanner,
  type Login,
  lineOptions,
  loginImpossible,
  loginOf,
  loginRefused,
  noStartTls,
  openLine,
  parseLineTarget,
  quit,
  tlsModeOf,
} from '../dialogue/line-protocol.ts';

const options = z.strictObject({
  ...lineOptions,
  Auth: z
    .enum(['Auto', 'USER', 'APOP'])
    .default('Auto')
    .describe(
      'Login mechanism; Auto uses APOP without TLS if the server offers it, otherwise USER and PASS.',
    ),
});

/** POP3 (RFC 1939) with STLS (RFC 2595): greeting, login by USER/PASS or APOP, and the size of the mailbox. */
export const pop3: Probe<'POP3', typeof options> = {
  method: 'POP3',
  purpose: 'Greets a POP3 server, and logs in where there is a user.',
  example: { URL: 'pop3s://mail.example.com', ShortName: 'pop-1', Options: { ExpectBanner: 'ready' } },
  optionsCase: 'pop3',
  tracePackets: 'tcp',
  options,
  secretOptions: ['Password', ...tlsSecretOptions],
  scriptFunctions: {
    pop3: {
      description: 'Greets a POP3 server and logs in; `facts.Messages` counts the mails.',
      target: 'host and port',
    },
  },
  parseTarget: (url) =>
    parseLineTarget(url, {
      schemes: { pop3: 110, pop3s: 995 },
      scheme: 'pop3',
      credentials: true,
      accepts:
        'host, host:port, [v6]:port, pop3://user:password@host:port or pop3s://…, for example mail.example.org',
    }),
  async run(context, target, settings): Promise<ProbeOutcome> {
    const login = loginOf(target, settings);
    const mode = tlsModeOf(settings.TLS.Mode, target, { scheme: 'pop3s', port: 995 });
    using dialogue = await openLine(context, target, settings, mode);
    const banner = await dialogue.expectLine('+OK');
    judgeBanner(context, banner, settings.ExpectBanner);
    if (mode === 'StartTLS') {
      const answer = await ask(dialogue, 'STLS');
      if (!isOk(answer)) throw noStartTls(dialogue.connection.peer, answer);
      await dialogue.startTls({ settings: settings.TLS });
    }
    const last = login ? await logIn({ context, dialogue, login, auth: settings.Auth, banner }) : banner;
    await quit(context, dialogue, 'QUIT');
    return { code: resultCode.ok, text: last, dataSize: dialogue.received, extended: {} };
  },
};

interface LoginAttempt {
  readonly context: ProbeContext;
  readonly dialogue: Dialogue;
  readonly login: Login;
  readonly auth: 'Auto' | 'USER' | 'APOP';
  readonly banner: string;
}

/** Logs in and returns the answer to STAT, the size of the mailbox. */
async function logIn({ context, dialogue, login, auth, banner }: LoginAttempt): Promise<string> {
  const { user, password } = login;
  const stamp = /<[^<>\s@]+@[^<>\s]+>/.exec(banner)?.[0];
  if (auth === 'APOP' && stamp === undefined) {
    throw new Failure(
      resultCode.login,
      `${dialogue.connection.peer} offers no APOP: its greeting has no time stamp`,
    );
  }
  if (stamp !== undefined && (auth === 'APOP' || (auth === 'Auto' && !dialogue.connection.secure))) {
    const digest = createHash('md5').update(`${stamp}${password}`).digest('hex');
    context.redact(digest);
    context.addDetail('Auth', 'APOP');
    const answer = await ask(dialogue, `APOP ${user} ${digest}`, `APOP ${user} ***`);
    const advice = 'a server that keeps no passwords in clear knows no APOP: set Auth to USER';
    if (!isOk(answer)) throw refusal(answer, auth === 'Auto' ? advice : '');
  } else {
    context.addDetail('Auth', 'USER');
    const named = await ask(dialogue, `USER ${user}`);
    if (!isOk(named)) throw refusal(named);
    const answer = await ask(dialogue, `PASS ${password}`, 'PASS ***');
    if (!isOk(answer)) throw refusal(answer);
  }
  const size = await ask(dialogue, 'STAT');
  const [, messages, octets] = /^\+OK (\d+) (\d+)/.exec(size) ?? [];
  if (messages === undefined || octets === undefined) {
    throw new Failure(resultCode.protocol, `expected +OK and two numbers to STAT, got ${quoteShort(size)}`);
  }
  context.addDetail('Messages', Number(messages));
  context.addDetail('MailboxBytes', Number(octets));
  return size;
}

/** The failure of a login. Some response codes concern the mailbox or the server (RFC 2449 section 8, RFC 3206). */
function refusal(answer: string, advice = ''): Failure {
  const isServerTrouble = /^-ERR \[(IN-USE|LOGIN-DELAY|SYS\/(TEMP|PERM))\]/i.test(answer);
  return isServerTrouble ? loginImpossible(answer) : loginRefused(answer, advice);
}

/** Sends a command and returns its answer, one line. Any line without `+OK` or `-ERR` is code 3. */
async function ask(dialogue: Dialogue, line: string, shown = line): Promise<string> {
  await dialogue.send(line, shown);
  const answer = await dialogue.readLine();
  if (isOk(answer) || answer.startsWith('-ERR')) return answer;
  throw new Failure(resultCode.protocol, `expected +OK or -ERR, got ${quoteShort(answer)}`);
}

function isOk(answer: string): boolean {
  return answer.startsWith('+OK');
}
