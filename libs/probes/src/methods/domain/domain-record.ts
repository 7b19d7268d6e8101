/** The registration of a domain, as its registry tells it. Times are milliseconds since 1970. */
export interface DomainRecord {
  /** `RDAP` or `WHOIS`. */
  readonly source: 'RDAP' | 'WHOIS';
  readonly registrar: string | undefined;
  readonly registeredMs: number | undefined;
  readonly changedMs: number | undefined;
  readonly expiresMs: number | undefined;
  /** Lower case, without a dot at the end, sorted. */
  readonly nameServers: readonly string[];
  /** In the words of the registry. */
  readonly statuses: readonly string[];
  /** Whether the parent zone signs it (DNSSEC); undefined: the registry does not tell. */
  readonly isSigned: boolean | undefined;
}

/** The content of a registry's answer. `free`: it has no such domain. */
export type Registration =
  | { readonly kind: 'registered'; readonly record: DomainRecord }
  | { readonly kind: 'free' };

/** The answer of a registry's server, which has this name. */
export type RegistryAnswer = Registration & { readonly server: string };

export const maxTexts = 50;
const maxText = 200;

/** A text of a registry: one line of bounded length. */
export function shortText(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, maxText);
}

/** Host names in one form, each once. */
export function hostNames(names: readonly string[]): readonly string[] {
  const plain = names.map((name) => shortText(name).toLowerCase().replace(/\.$/, ''));
  return [...new Set(plain.filter((name) => name !== ''))].slice(0, maxTexts).toSorted();
}

/** A status in one form: RDAP writes `client hold`, EPP and WHOIS write `clientHold`. */
export function plainStatus(status: string): string {
  return status.toLowerCase().replace(/[^a-z0-9]/g, '');
}
