import { Secret } from '@vantage/kernel';
import type { ProbeContext, Target } from '../../contract/probe.ts';
import { DigestLogin } from './digest-login.ts';
import type { HttpOptions } from './http-options.ts';

/**
 * The login of a check, for the origin of the device's URL only.
 *
 *   set                                    | sent
 *   a header Authorization in Headers      | this header
 *   Auth Bearer, or Token without Auth     | Bearer with the Token; a login in the URL is not sent
 *   Auth Digest, and a user                | Digest, after the server's challenge
 *   a user (Auth Basic, or no Auth)        | Basic, with the first request
 *
 * User and Password of the Options take precedence over those of the URL, each of them alone.
 */
export interface HttpLogin {
  readonly headers: Readonly<Record<string, string>>;
  readonly digest?: DigestLogin;
  /** Why the server answers 401 to this login, for people; undefined: there is no login. */
  readonly refusal: () => string | undefined;
}

type LoginOptions = Pick<HttpOptions, 'Auth' | 'Token' | 'User' | 'Password' | 'Headers'>;

export function loginOf(
  context: Pick<ProbeContext, 'redact'>,
  target: Pick<Target, 'user' | 'password'>,
  options: LoginOptions,
): HttpLogin {
  const refused = () => 'user or password are refused';
  if (Object.keys(options.Headers).some((name) => name.toLowerCase() === 'authorization'))
    return { headers: {}, refusal: refused };
  if (options.Token !== undefined)
    return { headers: { Authorization: `Bearer ${options.Token}` }, refusal: () => 'the Token is refused' };
  const user = options.User ?? target.user;
  const password = options.Password === undefined ? target.password : new Secret(options.Password);
  if (user === undefined)
    return {
      headers: {},
      refusal: () => (options.Auth === undefined ? undefined : `Auth ${options.Auth} has no User`),
    };
  if (options.Auth !== 'Digest')
    return { headers: { Authorization: basic(context, user, password) }, refusal: refused };
  const digest = new DigestLogin({
    user,
    password: password?.reveal() ?? '',
    redact: (text) => context.redact(text),
  });
  return { headers: {}, digest, refusal: () => digest.problem ?? refused() };
}

/** The value of an Authorization header (RFC 7617). It is masked in every text of this check. */
export function basic(
  context: Pick<ProbeContext, 'redact'>,
  user: string,
  password: Secret | undefined,
): string {
  const clear = password?.reveal() ?? '';
  const token = Buffer.from(`${user}:${clear}`, 'utf8').toString('base64');
  context.redact(clear);
  context.redact(token);
  return `Basic ${token}`;
}
