import { resultCode } from '@vantage/domain';
import { z } from 'zod';
import { quoteShort } from '../contract/display.ts';
import { Failure, notMet } from '../contract/failure.ts';
import { tlsSecretOptions } from '../contract/options.ts';
import type { Probe, ProbeContext, ProbeOutcome } from '../contract/probe.ts';
import type { CodedReply, Dialogue } from '../dialogue/dialogue.ts';
import {
  judgeBanner,
  type Login,
  lineOptions,
  lineText,
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
  Group: lineText(400)
    .regex(/^\S+$/u, 'must be one word such as comp.lang.c')
    .optional()
    .describe('Newsgroup that must exist (GROUP).'),
});

/** NNTP (RFC 3977) with STARTTLS (RFC 4642), AUTHINFO USER/PASS (RFC 4643) and the existence of a group. */
export const nntp: Probe<'NNTP', typeof options> = {
  method: 'NNTP',
  purpose: 'Greets a news server, and logs in or selects a group where `Options` say so.',
  example: { URL: 'news.example.com', ShortName: 'news-1', Options: { Group: 'comp.lang.c' } },
  optionsCase: 'nntp',
  tracePackets: 'tcp',
  options,
  secretOptions: ['Password', ...tlsSecretOptions],
  scriptFunctions: {
    nntp: {
      description: 'Greets a news server, logs in and selects a group.',
      target: 'host and port',
    },
  },
  parseTarget: (url) =>
    parseLineTarget(url, {
      schemes: { nntp: 119, nntps: 563 },
      scheme: 'nntp',
      credentials: true,
      accepts:
        'host, host:port, [v6]:port, nntp://user:password@host:port or nntps://…, for example news.example.org',
    }),
  async run(context, target, settings): Promise<ProbeOutcome> {
    const login = loginOf(target, settings);
    const mode = tlsModeOf(settings.TLS.Mode, target, { scheme: 'nntps', port: 563 });
    using dialogue = await openLine(context, target, settings, mode);
    const banner = await dialogue.expectReply([200, 201]);
    judgeBanner(context, banner.text, settings.ExpectBanner);
    context.addDetail('PostingAllowed', banner.code === 200);
    if (mode === 'StartTLS') {
      const answer = await ask(dialogue, 'STARTTLS');
      if (answer.code !== 382) throw noStartTls(dialogue.connection.peer, answer.text);
      await dialogue.startTls({ settings: settings.TLS });
    }
    let last = banner.text;
    if (login || settings.Group !== undefined) await becomeReader(dialogue);
    if (login) last = await logIn(dialogue, login);
    if (settings.Group !== undefined) last = await select(context, dialogue, settings.Group);
    await quit(context, dialogue, 'QUIT');
    return { code: resultCode.ok, text: last, dataSize: dialogue.received, extended: {} };
  },
};

async function ask(dialogue: Dialogue, line: string, shown = line) {
  await dialogue.send(line, shown);
  return dialogue.readReply();
}

/**
 * A mode-switching server serves readers only after this (RFC 3977 section 5.3). Any other server answers 200, 201 or
 * an error for an unknown command.
 */
async function becomeReader(dialogue: Dialogue): Promise<void> {
  const answer = await ask(dialogue, 'MODE READER');
  if ([200, 201, 480, 500, 501, 503].includes(answer.code)) return;
  throw new Failure(resultCode.protocol, `expected 200 to MODE READER, got ${quoteShort(answer.text)}`);
}

async function logIn(dialogue: Dialogue, { user, password }: Login): Promise<string> {
  const named = await ask(dialogue, `AUTHINFO USER ${user}`);
  if (named.code === 281) return named.text;
  if (named.code === 483) throw loginRefused(named.text, 'set TLS Mode to StartTLS or Implicit');
  if (named.code !== 381) throw refusal(named);
  const answer = await ask(dialogue, `AUTHINFO PASS ${password}`, 'AUTHINFO PASS ***');
  if (answer.code !== 281) throw refusal(answer);
  return answer.text;
}

/** The failure of a login. 400 and 403: the server is in trouble (RFC 3977 section 3.2.1). */
function refusal({ code, text }: CodedReply): Failure {
  if (code === 400 || code === 403) return loginImpossible(text);
  return loginRefused(
    text,
    code === 500 || code === 501 ? 'the server knows no login by user and password' : '',
  );
}

async function select(context: ProbeContext, dialogue: Dialogue, group: string): Promise<string> {
  const answer = await ask(dialogue, `GROUP ${group}`);
  switch (answer.code) {
    case 211: {
      const [count] = /^\d+/.exec(answer.lines[0] ?? '') ?? [];
      if (count !== undefined) context.addDetail('Articles', Number(count));
      return answer.text;
    }
    case 411:
      throw notMet(`group ${quoteShort(group)} does not exist: ${quoteShort(answer.text)}`);
    case 480:
      throw loginRefused(answer.text, 'this group needs User and Password');
    default:
      throw new Failure(resultCode.protocol, `expected 211, got ${quoteShort(answer.text)}`);
  }
}
