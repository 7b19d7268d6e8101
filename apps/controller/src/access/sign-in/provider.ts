import { readFile } from 'node:fs/promises';
import { hourMs } from '@vantage/domain';
import { abortable, type Clock, messageOf } from '@vantage/kernel';
import * as oidc from 'openid-client';
import { z } from 'zod';
import type { OidcSettings } from '../../config/oidc-settings.ts';

/** The state that a browser keeps between its way to the provider and back. */
export interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Whom the provider signed in. */
export interface ProviderIdentity {
  /** Undefined: the provider names none, or none that was verified. */
  readonly email: string | undefined;
  readonly name: string | undefined;
  readonly groups: ReadonlySet<string>;
}

/** The provider that signs people in (OpenID Connect Core 1.0, authorization code flow, with PKCE of RFC 7636). */
export interface SignInProvider {
  /** The address for the redirect, and the expected state. `back` is the return address. Throws ProviderFailure. */
  begin(back: string): Promise<{ readonly address: string; readonly begun: Begun }>;
  /**
   * The person who returned to this address. Throws ProviderFailure if the answer is not from this provider, or belongs
   * to another browser.
   */
  finish(address: URL, begun: Begun): Promise<ProviderIdentity>;
  /**
   * The address at which browsers sign out (OpenID Connect RP-Initiated Logout 1.0); null: the provider has no such
   * address, or does not answer.
   */
  signOutAddress(back: string): Promise<string | null>;
}

/** The provider cannot be reached, or its answer is refused; the message has the reason. */
export class ProviderFailure extends Error {}

/** The provider's metadata is read again after this time. */
const discoveredMs = hourMs;
/** After a failure the provider is left alone for this long. */
const failedMs = 3_000;
/** The timeout of each request to the provider. */
const timeoutS = 5;
/** A sign-out waits at most this long for the provider. */
const signOutMs = 2_000;
const maxGroups = 1_000;

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
 * Creates the provider's client. It connects when the first person signs in. Concurrent sign-ins share one request for
 * the metadata.
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
        const idClaims = tokens.claims();
        const isWhole = ['email', 'email_verified', 'groups'].every((name) => idClaims?.[name] !== undefined);
        const more =
          isWhole || idClaims === undefined || config.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : await oidc.fetchUserInfo(config, tokens.access_token, idClaims.sub);
        return identityOf({ ...more, ...idClaims }, settings);
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
 * The person that these claims name (OpenID Connect Core 1.0, section 5.1). An address that the provider does not call
 * verified may have been entered by any person. It counts only if the operator trusts the provider for it.
 */
export function identityOf(
  given: object,
  { allowsUnverified = false }: Pick<OidcSettings, 'allowsUnverified'> = {},
): ProviderIdentity {
  const { email, email_verified: isVerified, name, groups = [] } = claims.parse(given);
  const isGood =
    isVerified === true || isVerified === 'true' || (isVerified === undefined && allowsUnverified);
  return { email: isGood ? email : undefined, name, groups: new Set(groups.slice(0, maxGroups)) };
}

/** The message with the reasons of its causes, for the log and the person. */
export function reasonOf(error: unknown): string {
  const reasons: string[] = [];
  for (let cause = error, depth = 0; cause instanceof Error && depth < 4; depth += 1) {
    const described = 'error_description' in cause ? String(cause.error_description) : '';
    reasons.push(described === '' ? cause.message : `${cause.message}: ${described}`);
    cause = cause.cause;
  }
  return (reasons.length === 0 ? messageOf(error) : reasons.join(': ')).slice(0, 500);
}
