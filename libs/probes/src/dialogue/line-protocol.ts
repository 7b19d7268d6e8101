import { resultCode } from '@vantage/domain';
import { boundedText, withoutControls } from '@vantage/kernel';
import type { Connection } from '../contract/dial.ts';
import { Failure, notMet, quoteShort } from '../contract/failure.ts';
import {
  type IpFamily,
  ipFamilyOption,
  slowMsOption,
  type TlsOptions,
  tlsOptions,
} from '../contract/options.ts';
import type { ProbeContext, Target, TargetResult } from '../contract/probe.ts';
import { parseTarget, type TargetRules } from '../contract/target.ts';
import { type Dialogue, openDialogue } from './dialogue.ts';

/**
 * The common part of the line protocols (SMTP, POP3, IMAP4, NNTP, FTP, TELNET): their Options, their opening and
 * their end.
 */

const longestQuitMs = 250;

/**
 * A text that becomes part of a line sent: 1 to `max` characters, none of them a control character, so that it stays
 * one line.
 */
export function lineText(max: number) {
  return boundedText(max, 1).regex(withoutControls, 'must be one line without control characters');
}

/** The Options that each of these methods has. */
export const lineOptions = {
  TLS: tlsOptions,
  User: lineText(255)
    .optional()
    .describe('User name to log in with; default: the one in the URL, else no login.'),
  Password: lineText(255).optional().describe('Password to log in with; default: the one in the URL.'),
  ExpectBanner: lineText(500).optional().describe("Text that the server's greeting must contain."),
  SlowMs: slowMsOption,
  IPFamily: ipFamilyOption,
};

/** Like `parseTarget`. The percent-decoded login before the host must also fit on one line. */
export function parseLineTarget(url: string, rules: TargetRules): TargetResult {
  const found = parseTarget(url, rules);
  if (!found.ok) return found;
  const { user = '', password } = found.target;
  if (!/\p{Cc}/u.test(user) && !/\p{Cc}/u.test(password?.reveal() ?? '')) return found;
  return {
    ok: false,
    message: `user name or password hold a control character; accepted is ${rules.accepts}`,
  };
}

/** Where TLS starts when the Options leave it open. */
export interface ImplicitTls {
  readonly scheme: string;
  readonly port: number;
}

/** When TLS starts: as the Options say, else at once for the protocol's TLS scheme or port, else never. */
export function tlsModeOf(
  mode: TlsOptions['Mode'],
  target: Pick<Target, 'scheme' | 'port'>,
  implicit: ImplicitTls,
): NonNullable<TlsOptions['Mode']> {
  if (mode !== undefined) return mode;
  return target.scheme === implicit.scheme || target.port === implicit.port ? 'Implicit' : 'None';
}

/** Connects, with TLS at once where `mode` says so, and starts the dialogue. */
export async function openLine(
  context: ProbeContext,
  target: Target,
  options: { readonly TLS: TlsOptions; readonly IPFamily: IpFamily },
  mode: NonNullable<TlsOptions['Mode']>,
): Promise<Dialogue> {
  const connection: Connection = await context.dial.connect(context, {
    host: target.host,
    port: target.port,
    family: options.IPFamily,
    tls: mode === 'Implicit' ? { settings: options.TLS } : undefined,
  });
  return openDialogue(context, connection);
}

/** User name and password in clear. */
export interface Login {
  readonly user: string;
  readonly password: string;
}

/**
 * Who logs in: the Options before the URL; undefined when nobody does. A password without a user name is a login
 * refused (8).
 */
export function loginOf(
  target: Target,
  options: { readonly User?: string | undefined; readonly Password?: string | undefined },
): Login | undefined {
  const user = options.User ?? target.user;
  const password = options.Password ?? target.password?.reveal();
  if (user !== undefined && user !== '') return { user, password: password ?? '' };
  if (password === undefined) return undefined;
  throw new Failure(resultCode.login, 'a password is set but no user name');
}

/** Keeps the greeting as a fact and holds it against `ExpectBanner` (code 7). */
export function judgeBanner(context: ProbeContext, banner: string, expected: string | undefined): void {
  context.addDetail('Banner', banner);
  if (expected === undefined || banner.includes(expected)) return;
  throw notMet(`expected a banner with ${quoteShort(expected)}, got ${quoteShort(banner)}`);
}

/** The failure of a login that the server refused, with the server's own text. */
export function loginRefused(answer: string, advice = ''): Failure {
  return new Failure(resultCode.login, `login refused: ${quoteShort(answer)}${advice && `; ${advice}`}`);
}

/**
 * The failure of a login that the server could not check because of a fault of its own. User and password may be right.
 */
export function loginImpossible(answer: string): Failure {
  return new Failure(resultCode.protocol, `the server takes no logins now: ${quoteShort(answer)}`);
}

/** The failure of a STARTTLS that the server does not offer or refuses. */
export function noStartTls(peer: string, answer?: string): Failure {
  const why = answer === undefined ? 'does not offer STARTTLS' : `refused STARTTLS: ${quoteShort(answer)}`;
  return new Failure(resultCode.tls, `${peer} ${why}`);
}

/**
 * Takes leave after a good verdict, so that the server logs no lost connection: sends the line and waits for one
 * answer, at most 250 ms and half of the time left, outside of all phases. A failure now does not change the result of
 * the check.
 */
export async function quit(context: ProbeContext, dialogue: Dialogue, line: string): Promise<void> {
  const { clock, signal, stopwatch, timeoutMs } = context;
  stopwatch.pause();
  const spentMs = Object.values(stopwatch.read()).reduce((sum, each) => sum + each, 0);
  const waitMs = Math.min(longestQuitMs, (timeoutMs - spentMs) / 2);
  if (waitMs <= 0) return;
  const enough = new AbortController();
  const answered = (async () => {
    await dialogue.send(line);
    await dialogue.readLine();
  })();
  const ignore = () => {};
  await Promise.race([
    answered.then(ignore, ignore),
    clock.sleep(waitMs, AbortSignal.any([signal, enough.signal])).catch(ignore),
  ]);
  enough.abort();
}
