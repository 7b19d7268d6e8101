import { resultCode } from '@vantage/domain';
import { z } from 'zod';
import { quoteShort } from '../../contract/failure.ts';
import { tlsOptionsWithoutStart, tlsSecretOptions } from '../../contract/options.ts';
import type { Outcome, Probe } from '../../contract/probe.ts';
import { openDialogue } from '../../dialogue/dialogue.ts';
import {
  type Login,
  lineOptions,
  lineText,
  loginOf,
  loginRefused,
  parseLineTarget,
  tlsModeOf,
} from '../../dialogue/line-protocol.ts';
import { type Awaited, createTelnetSession, type TelnetSession } from './session.ts';

const options = z.strictObject({
  ...lineOptions,
  TLS: tlsOptionsWithoutStart,
  ExpectBanner: lineText(500).optional().describe('Text that must appear before or at the first prompt.'),
  LoginPrompt: lineText(100)
    .optional()
    .describe('Text that asks for the user name; default: `login:`, `username:` and their like.'),
  PasswordPrompt: lineText(100)
    .optional()
    .describe('Text that asks for the password; default: `password:` and its like.'),
  ExpectPrompt: lineText(100)
    .optional()
    .describe(
      'Text that must appear at last (after the login, if there is one); default after a login: a line that ends in $, #, > or %.',
    ),
});

type TelnetOptions = z.output<typeof options>;

const askingUser: Awaited = {
  shown: 'a prompt for the user name',
  pattern: /((?<!last )log ?in|user ?name|user|account)( \S+)?\s*[:>]\s*$/i,
};
const askingPassword: Awaited = {
  shown: 'a prompt for the password',
  pattern: /(pass ?(word|code|phrase))( \S+)*\s*[:>]\s*$/i,
};
const shellPrompt: Awaited = { shown: 'a prompt', pattern: /[$#>%]\s?$/ };
const refusal =
  /(incorrect|denied|fail(ed|ure)|invalid|refused|bad (password|login|user|secrets)|not authorized)/i;

/**
 * TELNET (RFC 854): every option the server proposes is refused politely; then the banner, a login dialogue by prompts
 * and the prompt at its end. Without any of these the first text of the server is a good check.
 */
export const telnet: Probe<'TELNET', typeof options> = {
  method: 'TELNET',
  purpose: 'Connects to a Telnet server, and logs in or waits for a prompt where `Options` say so.',
  example: { URL: '192.0.2.7:23', ShortName: 'sw-7', Options: { ExpectPrompt: 'login:' } },
  optionsCase: 'telnet',
  tracePackets: 'tcp',
  options,
  secretOptions: ['Password', ...tlsSecretOptions],
  scriptFunctions: {
    telnet: {
      description: "Waits for a TELNET server's text and logs in by its prompts.",
      target: 'host and port',
    },
  },
  parseTarget: (url) =>
    parseLineTarget(url, {
      schemes: { telnet: 23, telnets: 992 },
      scheme: 'telnet',
      credentials: true,
      accepts:
        'host, host:port, [v6]:port, telnet://user:password@host:port or telnets://…, for example router.example.org',
    }),
  async run(context, target, settings): Promise<Outcome> {
    const login = loginOf(target, settings);
    const mode = tlsModeOf(settings.TLS.Mode, target, { scheme: 'telnets', port: 992 });
    using connection = await context.dial.connect(context, {
      host: target.host,
      port: target.port,
      family: settings.IPFamily,
      tls: mode === 'Implicit' ? { settings: settings.TLS } : undefined,
    });
    using dialogue = openDialogue(context, connection, { text: false });
    const talk = createTelnetSession(dialogue);
    context.addDetail('OptionsRefused', () => talk.refused);
    if (settings.ExpectBanner !== undefined) await talk.until([settings.ExpectBanner], 'keep');
    else if (!login) await talk.some();
    if (login) await logIn(talk, login, settings);
    else if (settings.ExpectPrompt !== undefined) await talk.until([settings.ExpectPrompt]);
    const shown = quoteShort(talk.lastLine());
    const text = login ? `logged in, prompt ${shown}` : `${connection.peer} says ${shown}`;
    return { code: resultCode.ok, text, dataSize: dialogue.received, extended: {} };
  },
};

/** Answers the prompts. A prompt, an end or an error after the password is a refused login. */
async function logIn(talk: TelnetSession, login: Login, settings: TelnetOptions): Promise<void> {
  const forUser = settings.LoginPrompt ?? askingUser;
  const forPassword = settings.PasswordPrompt ?? askingPassword;
  const asked = await talk.until([forUser, forPassword]);
  if (asked === 0) {
    await talk.say(login.user);
    await talk.until([forPassword]);
  }
  await talk.say(login.password, '***');
  const after = [settings.ExpectPrompt ?? shellPrompt, forPassword, forUser];
  const met = await talk.until(after, 'keep').catch((error: unknown) => {
    throw refusal.test(talk.received()) ? loginRefused(talk.received()) : error;
  });
  if (met !== 0) throw loginRefused(talk.received());
}
