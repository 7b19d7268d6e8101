import { z } from 'zod';

/** The rights of the members of a group of the sign-in provider. */
export interface GroupRights {
  readonly group: string;
  readonly level: 'UR' | 'UO' | 'UW' | 'UA';
  /** Names of the tags to which they are limited; null: no limit. */
  readonly tags: readonly string[] | null;
}

/** The provider that signs people in (OpenID Connect). */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Absolute; undefined: a public client. */
  readonly clientSecretFile: string | undefined;
  /**
   * A person has the rights of their first group here. undefined: only invited people sign in, with their own rights.
   */
  readonly groups: readonly GroupRights[] | undefined;
  /** The name of the account for people who sign in by a group. */
  readonly account: string;
  /** Accept e-mail addresses that the provider does not declare as verified; absent: false. */
  readonly allowsUnverified?: boolean;
}

const groupForm = /^\s*([^=;]{1,200}?)\s*=\s*(U[ROWA])\s*(?::([^;]{1,2000}))?$/;

/** Reads `admins=UA; berlin-team=UW:berlin,berlin/rack-3`. Undefined: the text has another form. */
export function readGroups(text: string): readonly GroupRights[] | undefined {
  const parts = text.split(';').filter((part) => part.trim() !== '');
  const rights = parts.flatMap((part): GroupRights[] => {
    const [, group = '', level, tags] = groupForm.exec(part) ?? [];
    if (level !== 'UR' && level !== 'UO' && level !== 'UW' && level !== 'UA') return [];
    const names = tags?.split(',').map((name) => name.trim()) ?? null;
    return names?.includes('') === true ? [] : [{ group, level, tags: names }];
  });
  return parts.length === 0 || rights.length < parts.length ? undefined : rights;
}

/** The rights of a person in these groups. Pure. */
export function rightsOf(
  mapping: readonly GroupRights[],
  groups: ReadonlySet<string>,
): GroupRights | undefined {
  return mapping.find(({ group }) => groups.has(group));
}

/** Tokens and passwords go to the provider, so it must use HTTPS, except on this machine. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, hash, search } = new URL(text);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return (protocol === 'https:' || (protocol === 'http:' && isLocal)) && hash === '' && search === '';
}

/** Each setting, and what it accepts in words. */
export const acceptedOidc = {
  VANTAGE_OIDC_ISSUER: [
    z.string().refine(isIssuer),
    'the issuer of your sign-in provider, as in its /.well-known/openid-configuration: https://login.example.org/realms/ops',
  ],
  VANTAGE_OIDC_CLIENT_ID: [z.string().min(1).max(200), 'the client id that the provider gave to Vantage'],
  VANTAGE_OIDC_CLIENT_SECRET_FILE: [z.string(), 'a file that holds the client secret'],
  VANTAGE_OIDC_GROUPS: [
    z.string().transform((text, context) => {
      const groups = readGroups(text);
      if (groups !== undefined) return groups;
      context.addIssue('no groups');
      return z.NEVER;
    }),
    'groups of the provider with a level, and tags where it is limited, separated by semicolons: admins=UA; noc=UO; berlin-team=UW:berlin,berlin/rack-3',
  ],
  VANTAGE_OIDC_ACCOUNT: [z.string().min(1).max(200), 'the name of an account'],
  VANTAGE_OIDC_ALLOW_UNVERIFIED_EMAIL: [z.enum(['true', 'false']), 'true or false'],
} as const;

type ReadSetting = <T>(name: string, accepted: readonly [z.ZodType<T>, string]) => T | undefined;

/** Reads the settings of the provider, and adds contradictions to `problems`. */
export function readOidc(
  read: ReadSetting,
  absolute: (file: string) => string,
  problems: string[],
): OidcSettings | undefined {
  const before = problems.length;
  const issuer = read('VANTAGE_OIDC_ISSUER', acceptedOidc.VANTAGE_OIDC_ISSUER);
  const clientId = read('VANTAGE_OIDC_CLIENT_ID', acceptedOidc.VANTAGE_OIDC_CLIENT_ID);
  const secretFile = read('VANTAGE_OIDC_CLIENT_SECRET_FILE', acceptedOidc.VANTAGE_OIDC_CLIENT_SECRET_FILE);
  const groups = read('VANTAGE_OIDC_GROUPS', acceptedOidc.VANTAGE_OIDC_GROUPS);
  const account = read('VANTAGE_OIDC_ACCOUNT', acceptedOidc.VANTAGE_OIDC_ACCOUNT) ?? 'default';
  const unverified = read(
    'VANTAGE_OIDC_ALLOW_UNVERIFIED_EMAIL',
    acceptedOidc.VANTAGE_OIDC_ALLOW_UNVERIFIED_EMAIL,
  );
  if (issuer !== undefined && clientId !== undefined)
    return {
      issuer,
      clientId,
      clientSecretFile: secretFile && absolute(secretFile),
      groups,
      account,
      ...(unverified === 'true' && { allowsUnverified: true }),
    };
  const isReadable = problems.length === before;
  if (isReadable && [issuer, clientId, secretFile, groups].some((value) => value !== undefined))
    problems.push('VANTAGE_OIDC_ISSUER and VANTAGE_OIDC_CLIENT_ID must be given together');
  return undefined;
}
