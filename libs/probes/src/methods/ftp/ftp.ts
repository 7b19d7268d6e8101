import { resultCode } from '@vantage/domain';
import { z } from 'zod';
import { quoteShort } from '../../contract/display.ts';
import { Failure, notMet } from '../../contract/failure.ts';
import { tlsSecretOptions } from '../../contract/options.ts';
import type { Probe, ProbeOutcome } from '../../contract/probe.ts';
import type { CodedReply, Dialogue } from '../../dialogue/dialogue.ts';
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
} from '../../dialogue/line-protocol.ts';
import { readListing } from './ftp-listing.ts';

const options = z.strictObject({
  ...lineOptions,
  Directory: lineText(1000).optional().describe('Directory that must be there (CWD).'),
  List: z.boolean().default(false).describe('Must the directory be listable (EPSV or PASV, then LIST)?'),
  ExpectEntry: lineText(255).optional().describe('Name that the listing must hold; implies List.'),
});

const anonymous: Login = { user: 'anonymous', password: 'anonymous@' };

/**
 * FTP (RFC 959) with AUTH TLS (RFC 4217) and passive listings (RFC 2428), which come only from the server's address.
 * Directory, List and ExpectEntry without a user log in as anonymous.
 */
export const ftp: Probe<'FTP', typeof options> = {
  method: 'FTP',
  purpose: 'Greets an FTP server, and logs in, lists a directory or reads a file where `Options` say so.',
  example: { URL: 'ftp://ftp.example.com', ShortName: 'ftp-1', Options: { Directory: '/pub', List: true } },
  optionsCase: 'ftp',
  tracePackets: 'tcp',
  options,
  secretOptions: ['Password', ...tlsSecretOptions],
  scriptFunctions: {
    ftp: {
      description: 'Greets an FTP server, logs in, opens and lists a directory.',
      target: 'host and port',
    },
  },
  parseTarget: (url) =>
    parseLineTarget(url, {
      schemes: { ftp: 21, ftps: 990 },
      scheme: 'ftp',
      credentials: true,
      accepts:
        'host, host:port, [v6]:port, ftp://user:password@host:port or ftps://…, for example ftp.example.org',
    }),
  async run(context, target, settings): Promise<ProbeOutcome> {
    const lists = settings.List || settings.ExpectEntry !== undefined;
    const login =
      loginOf(target, settings) ?? (lists || settings.Directory !== undefined ? anonymous : undefined);
    const mode = tlsModeOf(settings.TLS.Mode, target, { scheme: 'ftps', port: 990 });
    using dialogue = await openLine(context, target, settings, mode);
    const banner = await greeting(dialogue);
    judgeBanner(context, banner.lines.join(' '), settings.ExpectBanner);

    if (mode === 'StartTLS') {
      const answer = await ask(dialogue, 'AUTH TLS');
      if (answer.code !== 234) throw noStartTls(dialogue.connection.peer, answer.text);
      await dialogue.startTls({ settings: settings.TLS });
    }
    let last = banner.text;
    if (login) last = await logIn(dialogue, login);
    if (settings.Directory !== undefined) last = await enter(dialogue, settings.Directory);
    let listed = 0;
    if (lists) {
      const tls = mode === 'None' ? undefined : settings.TLS;
      const listing = await readListing(context, dialogue, tls);
      listed = listing.bytes;
      last = listing.text;
      context.addDetail('Entries', listing.lines.length);
      if (settings.ExpectEntry !== undefined) requireEntry(listing.lines, settings.ExpectEntry);
    }
    await quit(context, dialogue, 'QUIT');
    return { code: resultCode.ok, text: last, dataSize: dialogue.received + listed, extended: {} };
  },
};

/** 120 announces that 220 comes later (RFC 959 section 5.4). */
async function greeting(dialogue: Dialogue) {
  const first = await dialogue.expectReply([220, 120]);
  return first.code === 120 ? dialogue.expectReply([220]) : first;
}

async function ask(dialogue: Dialogue, line: string, shown = line) {
  await dialogue.send(line, shown);
  return dialogue.readReply();
}

async function logIn(dialogue: Dialogue, { user, password }: Login): Promise<string> {
  const named = await ask(dialogue, `USER ${user}`);
  if (named.code === 230 || named.code === 232) return named.text;
  if (named.code !== 331) throw refusal(named);
  const answer = await ask(dialogue, `PASS ${password}`, 'PASS ***');
  if (answer.code !== 230 && answer.code !== 202) throw refusal(answer);
  return answer.text;
}

/** The failure of a login. 421 and 450 to 452: the server is unavailable (RFC 959 section 4.2.2). */
function refusal({ code, text }: CodedReply): Failure {
  if (code === 421 || (code >= 450 && code <= 452)) return loginImpossible(text);
  return loginRefused(
    text,
    code === 332 ? 'the server wants an account (ACCT), which is not known here' : '',
  );
}

async function enter(dialogue: Dialogue, directory: string): Promise<string> {
  const answer = await ask(dialogue, `CWD ${directory}`);
  if (answer.code === 250 || answer.code === 200) return answer.text;
  if (answer.code === 421) {
    throw new Failure(resultCode.protocol, `expected 250, got ${quoteShort(answer.text)}`);
  }
  throw notMet(`directory ${quoteShort(directory)} does not open: ${quoteShort(answer.text)}`);
}

/** Listings have no standard form. The name is alone or last on its line, or before a link's arrow. */
function requireEntry(lines: readonly string[], name: string): void {
  const hasName = (line: string) =>
    line === name || line.endsWith(` ${name}`) || line.includes(` ${name} -> `);
  if (lines.some(hasName)) return;
  throw notMet(`expected an entry ${quoteShort(name)}, the listing has ${lines.length} without it`);
}
