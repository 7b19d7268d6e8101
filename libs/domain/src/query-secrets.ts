import { isSecretReference } from './secret-reference.ts';

/** Names of query parameters whose values are credentials, in the addresses of contacts and in the URLs of devices. */
const secretParameter = /auth|code|credential|key|pass|pwd|secret|sig|token/i;

/** Replaces a credential. */
const mask = '***';

/**
 * Replaces the values of query parameters that are credentials, in their encoded form. A fragment is treated like a
 * query, because some services use it so (`#access_token=…`). `name` is the name of the parameter and its index among
 * those of that name: `token/0`. A reference to a secret reveals nothing and stays. Pure.
 */
export function mapQuerySecrets(url: string, replace: (value: string, name: string) => string): string {
  const begin = url.search(/[?#]/);
  if (begin < 0) return url;
  const counts = new Map<string, number>();
  const mapPair = (pair: string) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0));
    const value = pair.slice(at + 1);
    if (at < 0 || !secretParameter.test(decoded(name)) || isSecretReference(value)) return pair;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return `${name}=${replace(value, `${name}/${count}`)}`;
  };
  const parts = url.slice(begin + 1).split('#');
  const mapped = parts.map((part) => part.split('&').map(mapPair).join('&'));
  return `${url.slice(0, begin + 1)}${mapped.join('#')}`;
}

/** A decoded name; one with invalid encoding is returned unchanged. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Whether a value is the mask, also percent-encoded. */
export function isMask(value: string): boolean {
  return value.replaceAll(/%2a/gi, '*') === mask;
}

/** The URL with `***` for the values of query parameters that are credentials. Pure. */
export function maskQuerySecrets(url: string): string {
  return mapQuerySecrets(url, (value) => (value === '' ? value : mask));
}

/** The values of query parameters that are credentials, in their encoded form. Pure. */
export function querySecrets(url: string): readonly string[] {
  const found: string[] = [];
  mapQuerySecrets(url, (value) => {
    if (value !== '' && !isMask(value)) found.push(value);
    return value;
  });
  return found;
}
