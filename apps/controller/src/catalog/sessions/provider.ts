import { readFile } from 'node:fs/promises';
import { hourMs } from '@vantage/domain';
import { abortable, type Clock, messageOf } from '@vantage/kernel';
import * as oidc from 'openid-client';
import { z } from 'zod';
import type { OidcSettings } from '../../platform/config/oidc.ts';

/** The state that a browser keeps between its way to the provider and back. */
export interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Whom the provider signed in. */
export interface Identity {
  /** Undefined: the provider names none, or none that was verified. */
  readonly email: string | undefined;
  readonly name: string | undefined;
  readonly groups: ReadonlySet<string>;
}

/** The provider that signs people in (OpenID Connect Core 1.0, authorization code flow, with PKCE of RFC 7636). */
export interface SignInProvider {
  /** Where the browser goes, and what it keeps. `back` is where it comes back to. Throws ProviderFailure. */
  begin(back: string): Promise<{ readonly address: string; readonly begun: Begun }>;
  /**
   * Who came back to this address. Throws ProviderFailure where the answer is not one of this provider to this browser.
   */
  finish(address: URL, begun: Begun): Promise<Identity>;
  /**
   * Where browsers sign out (OpenID Connect RP-Initiated Logout 1.0); null: the provider has no such address, or does
   * not answer.
   */
  signOutAddress(back: string): Promise<string | null>;
}

/** The provider cannot be asked, or its answer is refused; the message says why. */
export class ProviderFailure extends Error {}

/** The provider's metadata is read again after this time. */
const discoveredMs = hourMs;
/** One that could not be asked is not asked again for so long. */
const failedMs = 3_000;
/** Each request to the provider takes so long at most. */
const timeoutS = 5;
/** Who signs out waits so long at most. */
const signOutMs = 2_000;
const mostGroups = 1_000;

const texts = z.union([z.array(z.string()), z.string().transform((text) => [text])]);
const claims = z.object({
  email: z.string().max(254).optional().catch(undefined),
  email_verified: z
    .union([z.boolean(), z.literal('true'), z.literal('false')])
    .optional()
    .catch(false),
  name: z.string().max(200).optional().catch(undefined),
  groups: texts.optional().catch(undefined),
});

/** Reads the client's secret and the provider's metadata (OpenID Connect Discovery 1.0), whose issuer must be equal. */
export async function discoverProvider({
  issuer,
  clientId,
  clientSecretFile,
}: Pick<OidcSettings, 'issuer' | 'clientId' | 'clientSecretFile'>): Promise<oidc.Configuration> {
  const secret =
    clientSecretFile === undefined ? undefined : (await readFile(clientSecretFile, 'utf8')).trim();
  const server = new URL(issuer);
  return oidc.discovery(server, clientId, secret, secret === undefined ? oidc.None() : undefined, {
    timeout: timeoutS,
    execute: [
      oidc.enableNonRepudiationChecks,
      ...(server.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
    ],
  });
}

/**
 * Creates the provider's client. Nothing is asked before somebody signs in. Its metadata is asked for once by all who
 * need it at one time.
 */
export function createSignInProvider(
  settings: OidcSettings,
  clock: Pick<Clock, 'monoMs' | 'timer'>,
): SignInProvider {
  let known: { readonly config: Promise<oidc.Configuration>; readonly untilMs: number } | undefined;

  const discover = (): Promise<oidc.Configuration> => {
    if (known !== undefined && clock.monoMs() < known.untilMs) return known.config;
    const config = discoverProvider(settings);
    known = { config, untilMs: clock.monoMs() + discoveredMs };
    config.catch(() => {
      known = { config, untilMs: clock.monoMs() + failedMs };
    });
    return config;
  };

  const ask = async <T>(work: (config: oidc.Configuration) => Promise<T>): Promise<T> => {
    try {
      return await work(await discover());
    } catch (error) {
      throw new ProviderFailure(reasonOf(error), { cause: error });
    }
  };

  return {
    begin: (back) =>
      ask(async (config) => {
        const verifier = oidc.randomPKCECodeVerifier();
        const begun = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier };
        const scopes = config.serverMetadata().scopes_supported ?? [];
        const address = oidc.buildAuthorizationUrl(config, {
          redirect_uri: back,
          scope: ['openid', 'email', 'profile', ...(scopes.includes('groups') ? ['groups'] : [])].join(' '),
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state: begun.state,
          nonce: begun.nonce,
        });
        return { address: address.href, begun };
      }),
    finish: (address, { state, nonce, verifier }) =>
      ask(async (config) => {
        const tokens = await oidc.authorizationCodeGrant(config, address, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const own = tokens.claims();
        const isWhole = ['email', 'email_verified', 'groups'].every((name) => own?.[name] !== undefined);
        const more =
          isWhole || own === undefined || config.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : await oidc.fetchUserInfo(config, tokens.access_token, own.sub);
        return identityOf({ ...more, ...own }, settings);
      }),
    async signOutAddress(back) {
      const late = new AbortController();
      using _timer = clock.timer(signOutMs, () => late.abort(new Error('the provider does not answer')));
      const address = ask(async (config) => {
        if (config.serverMetadata().end_session_endpoint === undefined) return null;
        return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: back }).href;
      });
      return abortable(address, late.signal).catch(() => null);
    },
  };
}

/**
 * Whom these claims name (OpenID Connect Core 1.0, section 5.1). Where the provider does not say that an address was
 * verified, anybody may have entered it there: it counts only where the operator trusts the provider for it.
 */
export function identityOf(
  given: object,
  { allowsUnverified = false }: Pick<OidcSettings, 'allowsUnverified'> = {},
): Identity {
  const { email, email_verified: isVerified, name, groups = [] } = claims.parse(given);
  const isGood =
    isVerified === true || isVerified === 'true' || (isVerified === undefined && allowsUnverified);
  return { email: isGood ? email : undefined, name, groups: new Set(groups.slice(0, mostGroups)) };
}

/** The message with the reasons of its causes, for the log and the person. */
export function reasonOf(error: unknown): string {
  const said: string[] = [];
  for (let each = error, depth = 0; each instanceof Error && depth < 4; depth += 1) {
    const described = 'error_description' in each ? String(each.error_description) : '';
    said.push(described === '' ? each.message : `${each.message}: ${described}`);
    each = each.cause;
  }
  return (said.length === 0 ? messageOf(error) : said.join(': ')).slice(0, 500);
}
