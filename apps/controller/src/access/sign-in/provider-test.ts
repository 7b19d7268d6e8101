import { readFile } from 'node:fs/promises';
import { messageOf } from '@vantage/kernel';
import { z } from 'zod';
import type { OidcSettings } from '../../config/oidc-settings.ts';
import { discoverProvider, reasonOf } from './provider.ts';

/** A part of signing in that was tried: whether it works, in a sentence. */
export interface ProviderFinding {
  readonly works: boolean;
  readonly text: string;
}

const timeoutMs = 10_000;
const otherIssuer = z.object({
  cause: z.object({ attribute: z.literal('issuer'), body: z.object({ issuer: z.string() }) }),
});
const keySet = z.object({ keys: z.array(z.unknown()) });

/** Tests the requirements of a sign-in by the provider, as far as no person has to sign in. Never rejects. */
export async function testProvider(settings: OidcSettings): Promise<readonly ProviderFinding[]> {
  const secret = await secretFinding(settings);
  if (secret?.works === false) return [secret];
  const before = secret === undefined ? [] : [secret];
  try {
    const metadata = (await discoverProvider(settings)).serverMetadata();
    return [
      ...before,
      {
        works: true,
        text: `The provider answers, and its issuer equals VANTAGE_OIDC_ISSUER: ${settings.issuer}`,
      },
      flowFinding(metadata.code_challenge_methods_supported),
      await keysFinding(metadata.jwks_uri),
      ...verifiedFinding(settings, metadata),
      ...groupsFinding(settings, [...(metadata.scopes_supported ?? []), ...claimsOf(metadata)]),
    ];
  } catch (error) {
    return [...before, { works: false, text: discoveryFault(error, settings) }];
  }
}

async function secretFinding({ clientSecretFile }: OidcSettings): Promise<ProviderFinding | undefined> {
  if (clientSecretFile === undefined) return undefined;
  try {
    const isEmpty = (await readFile(clientSecretFile, 'utf8')).trim() === '';
    return isEmpty
      ? { works: false, text: 'The file of the client secret (VANTAGE_OIDC_CLIENT_SECRET_FILE) is empty.' }
      : { works: true, text: 'The client secret is read from its file.' };
  } catch (error) {
    return { works: false, text: `The file of the client secret cannot be read: ${messageOf(error)}` };
  }
}

function discoveryFault(error: unknown, { issuer }: OidcSettings): string {
  const theirs = otherIssuer.safeParse(error).data?.cause.body.issuer;
  return theirs === undefined
    ? `The provider at ${issuer} cannot be reached: ${reasonOf(error)}`
    : `The provider calls itself ${theirs.slice(0, 300)}, and VANTAGE_OIDC_ISSUER is ${issuer}. Both must be equal, to the last letter.`;
}

/** RFC 8414, section 2: a provider that lists no methods may know them all the same. */
function flowFinding(methods: readonly string[] | undefined): ProviderFinding {
  const works = methods === undefined || methods.includes('S256');
  return {
    works,
    text: works
      ? 'It accepts the sign-in of this controller (authorization code with PKCE).'
      : 'It does not accept PKCE with S256, which this controller sends.',
  };
}

async function keysFinding(address: string | undefined): Promise<ProviderFinding> {
  if (address === undefined)
    return { works: false, text: 'It names no address of its keys (jwks_uri), so no person can sign in.' };
  try {
    const reply = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
    const { keys } = keySet.parse(await reply.json());
    if (keys.length > 0) return { works: true, text: `Its keys that sign tokens were read: ${keys.length}.` };
    return { works: false, text: `It has no keys that sign tokens at ${address}` };
  } catch (error) {
    return { works: false, text: `Its keys at ${address} cannot be read: ${reasonOf(error)}` };
  }
}

function claimsOf(metadata: object): readonly string[] {
  return z.object({ claims_supported: z.array(z.string()) }).safeParse(metadata).data?.claims_supported ?? [];
}

/** A provider that lists no claims may send this one all the same. */
function verifiedFinding(
  { allowsUnverified = false }: OidcSettings,
  metadata: object,
): readonly ProviderFinding[] {
  const listed = claimsOf(metadata);
  if (allowsUnverified || listed.length === 0 || listed.includes('email_verified')) return [];
  return [
    {
      works: false,
      text: 'It lists no claim "email_verified", which every sign-in needs. Add it there. If no person can enter the address of another there, VANTAGE_OIDC_ALLOW_UNVERIFIED_EMAIL=true permits addresses without it.',
    },
  ];
}

function groupsFinding({ groups }: OidcSettings, named: readonly string[]): readonly ProviderFinding[] {
  if (groups === undefined) return [];
  const works = named.includes('groups');
  const text = works
    ? 'It names the groups of people.'
    : 'It lists neither a scope nor a claim "groups", so people may be in none of your groups (VANTAGE_OIDC_GROUPS).';
  return [{ works, text }];
}
