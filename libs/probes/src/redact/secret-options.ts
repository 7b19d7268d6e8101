import { querySecrets } from '@vantage/domain';
import { isRecord } from '@vantage/kernel';
import type { AnyProbe, Target } from '../contract/probe.ts';
import { literally } from './secret-forms.ts';

/**
 * The dotted paths of the secrets in an Options object, in its spelling: `Password`, `Headers.Authorization`. In
 * `secretOptions`, letter case does not matter, and `*` matches any text. A URL without a login (`Proxy`) is no secret.
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

/** Compiled once for a probe, because every check needs them. */
function patternsOf(probe: AnyProbe): readonly RegExp[] {
  const known = patternsByProbe.get(probe);
  if (known) return known;
  const patterns = probe.secretOptions.map(
    (path) => new RegExp(`^${path.split('*').map(literally).join('.*')}$`, 'i'),
  );
  patternsByProbe.set(probe, patterns);
  return patterns;
}

/** The Options as the API shows them, with `***` for every secret. */
export function maskOptions(probe: AnyProbe, options: unknown): unknown {
  const hidden = new Set(secretPaths(probe, options));
  const walk = (value: unknown, path: string): unknown => {
    if (hidden.has(path)) return '***';
    if (Array.isArray(value)) return value.map((item: unknown) => walk(item, path));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, walk(item, path === '' ? key : `${path}.${key}`)]),
    );
  };
  return walk(options, '');
}

/** A shorter value in a query may be an ordinary word, which must not be masked in texts: `?code=200`. */
const minQuerySecret = 8;

/** The plain secrets of a check: the URL's password, credentials in its query, and those of the parsed Options. */
export function secretValues(probe: AnyProbe, target: Target, options: unknown): readonly string[] {
  const { password } = target;
  if (password === undefined && !target.path.includes('?')) return optionValues(probe, options);
  const ofUrl = password === undefined ? [] : [password.reveal()];
  if (target.path.includes('?'))
    ofUrl.push(...querySecrets(target.url).filter(({ length }) => length >= minQuerySecret));
  return [...ofUrl, ...optionValues(probe, options)];
}

/** Parsed Options never change, and all checks of a device share them. */
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
  if (Array.isArray(value)) return value.flatMap((item: unknown) => leaves(item, path));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => leaves(item, path === '' ? key : `${path}.${key}`));
}

function isOpenUrl(value: string): boolean {
  return value.includes('://') && !value.includes('@');
}
