import type { Clock } from '@vantage/kernel';
import type { Session } from '@vantage/rest-kit/session';
import type { Db } from '@vantage/storage';
import type { Sealer } from '@vantage/storage/secrets/seal';
import { z } from 'zod';
import type { OidcSettings } from '../../config/oidc-settings.ts';
import type { Catalog } from '../../resources/change.ts';
import type { Begun, SignInProvider } from './provider.ts';
import type { RefusedAttempt } from './refusal-entry.ts';

export const cookieName = '__Host-vantage-sign-in';

export const context = 'sign-in by a provider';

/** A person has this long to sign in at the provider. */
export const begunS = 600;

const begunSignIn = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  untilUs: z.int(),
  account: z.string().optional(),
});

/**
 * The way back comes from the provider's site, so the cookie cannot be SameSite=Strict (RFC 6265bis, section 5.6.7).
 */
export function begunCookie(value: string, maxAgeS: number): string {
  return `${cookieName}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}`;
}

export function readBegun(
  { sealer, clock }: ProviderSignInDeps,
  value: string | undefined,
): (Begun & { readonly account?: string | undefined }) | undefined {
  if (value === undefined) return undefined;
  try {
    const begun = begunSignIn.parse(sealer.open(Buffer.from(value, 'base64url'), context));
    return begun.untilUs < clock.nowUs() ? undefined : begun;
  } catch {
    return undefined;
  }
}

export type ProviderSignInDeps = ProviderRouteDeps & {
  readonly provider: SignInProvider;
  readonly settings: Pick<OidcSettings, 'groups' | 'account'>;
};

/** The parts that signing in by a provider needs. */
export interface ProviderRouteDeps {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly sealer: Sealer;
  /** Undefined: there is none. */
  readonly provider: SignInProvider | undefined;
  /** A proxy may sign people in (VANTAGE_SIGN_IN_HEADER). */
  readonly hasSignInHeader: boolean;
  readonly settings: Pick<OidcSettings, 'groups' | 'account'> | undefined;
  /** The address at which people reach this installation, without a slash at the end. */
  readonly baseUrl: () => string;
  /** Finds the person with this e-mail address, who needs no password. Throws a Problem (1001, 1006). */
  readonly identifyProxied: (
    person: { readonly email: string; readonly account: string | undefined },
    address: string,
  ) => Promise<Session>;
  readonly onKeyChanged: (db: Db, keyNo: number) => void;
  /** Called for a refused sign-in, which goes into the audit. */
  readonly onRefused: (refused: RefusedAttempt) => void;
  /** Called when the provider cannot be asked, or its answer is refused, with the reason. */
  readonly onFailure: (reason: string) => void;
}
