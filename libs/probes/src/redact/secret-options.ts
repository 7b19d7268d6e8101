import { querySecrets } from '@vantage/domain';
import type { AnyProbe, Target } from '../contract/probe.ts';

/**
 * The dotted paths of the secrets that an Options object really holds, in its own spelling: `Password`,
 * `Headers.Authorization`. Letter case does not count in `secretOptions`, and `*` stands for any text. A URL without a
 * login in it (`Proxy`) hides nothing.
 */
export function secretPaths(probe: AnyProbe, options: unknown): readonly string[] {
  return secretLeaves(probe, options).map(([path]) => path);
}

type Leaf = readonly [path: string, value: string];

function secretLeaves(probe: AnyProbe, options: unknown): readonly Leaf[] {
  const patterns = patternsOf(probe);
  return leaves(options, '').filter(
    ([path, value]) => patterns.some((pattern) => pattern.test(path)) && !isOpenUrl(value),
  );
}

const patternsByProbe = new WeakMap<AnyProbe, readonly RegExp[]>();

/** Made once for a probe: every check asks. */
function patternsOf(probe: AnyProbe): readonly RegExp[] {
  const known = patternsByProbe.get(probe);
  if (known) return known;
  const made = probe.secretOptions.map(
    (path) => new RegExp(`^${path.split('*').map(literally).join('.*')}$`, 'i'),
  );
  patternsByProbe.set(probe, made);
  return made;
}

/** The Options as the API shows them: every secret replaced by `***`. */
export function maskOptions(probe: AnyProbe, options: unknown): unknown {
  const hidden = new Set(secretPaths(probe, options));
  const walk = (value: unknown, path: string): unknown => {
    if (hidden.has(path)) return '***';
    if (Array.isArray(value)) return value.map((each: unknown) => walk(each, path));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, walk(each, path === '' ? key : `${path}.${key}`)]),
    );
  };
  return walk(options, '');
}

/** A shorter value in a query may be an ordinary word of a text, which must not be hidden: `?code=200`. */
const shortestQuerySecret = 8;

/** The secrets of one check in clear: the URL's password, credentials in its query, and those of the parsed Options. */
export function secretValues(probe: AnyProbe, target: Target, options: unknown): readonly string[] {
  const own = target.password === undefined ? [] : [target.password.reveal()];
  if (target.path.includes('?'))
    own.push(...querySecrets(target.url).filter(({ length }) => length >= shortestQuerySecret));
  return [...own, ...optionValues(probe, options)];
}

/** By parsed Options, which never change; each check of a device has the same. */
const valuesByOptions = new WeakMap<
  object,
  { readonly probe: AnyProbe; readonly values: readonly string[] }
>();

function optionValues(probe: AnyProbe, options: unknown): readonly string[] {
  const known = isRecord(options) ? valuesByOptions.get(options) : undefined;
  if (known?.probe === probe) return known.values;
  const values = secretLeaves(probe, options).map(([, value]) => value);
  if (isRecord(options)) valuesByOptions.set(options, { probe, values });
  return values;
}

function leaves(value: unknown, path: string): readonly Leaf[] {
  if (typeof value === 'string') return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((each: unknown) => leaves(each, path));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => leaves(each, path === '' ? key : `${path}.${key}`));
}

function isOpenUrl(value: string): boolean {
  return value.includes('://') && !value.includes('@');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function literally(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
}
