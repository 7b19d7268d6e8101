import { resultCode } from '@vantage/domain';
import { boundedText, withoutControls } from '@vantage/kernel';
import type { Connection } from '../contract/dial.ts';
import { quoteShort } from '../contract/display.ts';
import { Failure, notMet } from '../contract/failure.ts';
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

// The common part of the line protocols (SMTP, POP3, IMAP4, NNTP, FTP, TELNET): their Options, opening and end.

const maxQuitMs = 250;

/** A text that becomes part of a sent line: 1 to `max` characters without control characters. */
export function lineText(max: number) {
  return boundedText(max, 1).regex(withoutControls, 'must be one line without control characters');
}

/** The Options of all these Methods. */
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

/** Like `parseTarget`. The percent-decoded login must also fit on one line. */
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

/** The scheme and port that imply TLS from the start. */
export interface ImplicitTls {
  readonly scheme: string;
  readonly port: number;
}

/** The mode of the Options; default: Implicit for the protocol's TLS scheme or port, else None. */
export function tlsModeOf(
  mode: TlsOptions['Mode'],
  target: Pick<Target, 'scheme' | 'port'>,
  implicit: ImplicitTls,
): NonNullable<TlsOptions['Mode']> {
  if (mode !== undefined) return mode;
  return target.scheme === implicit.scheme || target.port === implicit.port ? 'Implicit' : 'None';
}

/** Connects, with TLS from the start for `Implicit`, and starts the dialogue. */
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

export interface Login {
  readonly user: string;
  readonly password: string;
}

/**
 * The login of the Options, else of the URL; undefined: no login. A password without a user name is a rejected login
 * (8).
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

/** Records the greeting as a fact and compares it with `ExpectBanner` (code 7). */
export function judgeBanner(context: ProbeContext, banner: string, expected: string | undefined): void {
  context.addDetail('Banner', banner);
  if (expected === undefined || banner.includes(expected)) return;
  throw notMet(`expected a banner with ${quoteShort(expected)}, got ${quoteShort(banner)}`);
}

/** The failure of a login that the server rejected, with the server's text. */
export function loginRefused(answer: string, advice = ''): Failure {
  return new Failure(resultCode.login, `login refused: ${quoteShort(answer)}${advice && `; ${advice}`}`);
}

/** The failure of a login that the server could not check. User and password may be right. */
export function loginImpossible(answer: string): Failure {
  return new Failure(resultCode.protocol, `the server takes no logins now: ${quoteShort(answer)}`);
}

/** The failure of a STARTTLS that the server does not offer or refuses. */
export function noStartTls(peer: string, answer?: string): Failure {
  const why = answer === undefined ? 'does not offer STARTTLS' : `refused STARTTLS: ${quoteShort(answer)}`;
  return new Failure(resultCode.tls, `${peer} ${why}`);
}

/**
 * Ends the session after a good result, so that the server logs no lost connection. Sends the line and waits for one
 * answer, outside all phases, for at most 250 ms and half of the remaining time. A failure does not change the result
 * of the check.
 */
export async function quit(context: ProbeContext, dialogue: Dialogue, line: string): Promise<void> {
  const { clock, signal, stopwatch, timeoutMs } = context;
  stopwatch.pause();
  const spentMs = Object.values(stopwatch.read()).reduce((sum, ms) => sum + ms, 0);
  const waitMs = Math.min(maxQuitMs, (timeoutMs - spentMs) / 2);
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
