import { resultCode } from '@vantage/domain';
import { z } from 'zod';
import { quoteShort } from '../../contract/display.ts';
import { tlsOptionsWithoutStart, tlsSecretOptions } from '../../contract/options.ts';
import type { Probe, ProbeOutcome } from '../../contract/probe.ts';
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
import { type AwaitedText, createTelnetSession, type TelnetSession } from './telnet-session.ts';

const options = z.strictObject({
  ...lineOptions,
  TLS: tlsOptionsWithoutStart,
  ExpectBanner: lineText(500).optional().describe('Text that must appear before or at the first prompt.'),
  LoginPrompt: lineText(100)
    .optional()
    .describe('Prompt for the user name; default: `login:`, `username:` and similar.'),
  PasswordPrompt: lineText(100)
    .optional()
    .describe('Prompt for the password; default: `password:` and similar.'),
  ExpectPrompt: lineText(100)
    .optional()
    .describe(
      'Text that must appear at last (after the login, if there is one); default after a login: a line that ends in $, #, > or %.',
    ),
});

type TelnetOptions = z.output<typeof options>;

const userPrompt: AwaitedText = {
  shown: 'a prompt for the user name',
  pattern: /((?<!last )log ?in|user ?name|user|account)( \S+)?\s*[:>]\s*$/i,
};
const passwordPrompt: AwaitedText = {
  shown: 'a prompt for the password',
  pattern: /(pass ?(word|code|phrase))( \S+)*\s*[:>]\s*$/i,
};
const shellPrompt: AwaitedText = { shown: 'a prompt', pattern: /[$#>%]\s?$/ };
const refusal =
  /(incorrect|denied|fail(ed|ure)|invalid|refused|bad (password|login|user|secrets)|not authorized)/i;

/**
 * TELNET (RFC 854): refuses every option of the server, then reads the banner, logs in by prompts and waits for the
 * prompt at the end. Without any of these, the first text of the server makes the check good.
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
  async run(context, target, settings): Promise<ProbeOutcome> {
    const login = loginOf(target, settings);
    const mode = tlsModeOf(settings.TLS.Mode, target, { scheme: 'telnets', port: 992 });
    using connection = await context.dial.connect(context, {
      host: target.host,
      port: target.port,
      family: settings.IPFamily,
      tls: mode === 'Implicit' ? { settings: settings.TLS } : undefined,
    });
    using dialogue = openDialogue(context, connection, { text: false });
    const session = createTelnetSession(dialogue);
    context.addDetail('OptionsRefused', () => session.refused);
    if (settings.ExpectBanner !== undefined) await session.waitFor([settings.ExpectBanner], 'keep');
    else if (!login) await session.waitForText();
    if (login) await logIn(session, login, settings);
    else if (settings.ExpectPrompt !== undefined) await session.waitFor([settings.ExpectPrompt]);
    const shown = quoteShort(session.lastLine());
    const text = login ? `logged in, prompt ${shown}` : `${connection.peer} says ${shown}`;
    return { code: resultCode.ok, text, dataSize: dialogue.received, extended: {} };
  },
};

/** Answers the prompts. Another prompt for a login, an end or an error after the password is a refused login. */
async function logIn(session: TelnetSession, login: Login, settings: TelnetOptions): Promise<void> {
  const forUser = settings.LoginPrompt ?? userPrompt;
  const forPassword = settings.PasswordPrompt ?? passwordPrompt;
  const prompt = await session.waitFor([forUser, forPassword]);
  if (prompt === 0) {
    await session.send(login.user);
    await session.waitFor([forPassword]);
  }
  await session.send(login.password, '***');
  const after = [settings.ExpectPrompt ?? shellPrompt, forPassword, forUser];
  const met = await session.waitFor(after, 'keep').catch((error: unknown) => {
    throw refusal.test(session.received()) ? loginRefused(session.received()) : error;
  });
  if (met !== 0) throw loginRefused(session.received());
}
