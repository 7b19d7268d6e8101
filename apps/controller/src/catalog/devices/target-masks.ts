import { isMask, isSecretReference, mapQuerySecrets, maskQuerySecrets } from '@vantage/domain';
import type { FieldFault } from '@vantage/kernel';
import { type AnyProbe, maskOptions, secretPaths, type Target } from '@vantage/probes';
import { mask } from '../../resources/field-changes.ts';

/** Replaces the mask in a URL by the stored password. */
export function fillUrl(
  url: string,
  given: Target,
  old: Target | undefined,
  stays: boolean,
  faults: FieldFault[],
): string {
  const filled = fillQuery(url, old, stays, faults);
  if (given.password?.reveal() !== mask) return filled;
  if (!stays || old?.password === undefined || old.password.reveal() === mask) {
    faults.push({
      field: 'URL',
      message:
        'holds *** for a password; send the password itself (the mask keeps it only while scheme, host, port and user stay)',
    });
    return url;
  }
  const password = old.password.reveal();
  const written = isSecretReference(password) ? password : encodeURIComponent(password);
  return filled.replace(maskedPassword, () => `:${written}@`);
}

/** A URL's password in its mask, in any spelling. */
const maskedPassword = /:(?:\*|%2a){3}@/i;

/** Replaces masks in the query of a URL by the stored credentials of the same name and position. */
function fillQuery(url: string, old: Target | undefined, stays: boolean, faults: FieldFault[]): string {
  const kept = new Map<string, string>();
  if (stays && old !== undefined)
    mapQuerySecrets(old.url, (value, name) => {
      kept.set(name, value);
      return value;
    });
  return mapQuerySecrets(url, (value, name) => {
    if (!isMask(value)) return value;
    const known = kept.get(name);
    if (known === undefined)
      faults.push({
        field: 'URL',
        message: `holds *** for ${name.replace(/\/\d+$/, '')} in its query; send the value itself (the mask keeps it only while scheme, host, port and user stay)`,
      });
    return known ?? value;
  });
}

/** The URL as the API shows it: a password that is a reference hides nothing. The display has masked the query. */
export function showUrl(probe: AnyProbe, clearUrl: string, display: string): string {
  const parsed = probe.parseTarget(clearUrl);
  const password = parsed.ok ? parsed.target.password?.reveal() : undefined;
  return password !== undefined && isSecretReference(password) ? maskQuerySecrets(clearUrl) : display;
}

/** The Options as the API shows them: secrets masked, references to secrets as they stand. */
export function showOptions(
  probe: AnyProbe,
  options: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const merge = (shown: unknown, clear: unknown): unknown => {
    if (typeof clear === 'string') return isSecretReference(clear) ? clear : shown;
    if (Array.isArray(shown))
      return shown.map((item: unknown, at) => merge(item, Array.isArray(clear) ? clear[at] : undefined));
    if (!isRecord(shown) || !isRecord(clear)) return shown;
    return Object.fromEntries(Object.entries(shown).map(([key, inner]) => [key, merge(inner, clear[key])]));
  };
  const merged = merge(maskOptions(probe, options), options);
  return isRecord(merged) ? merged : {};
}

/**
 * The settings that must stay the same for a kept secret to be used again: where it goes, and as whom. `kept` says what
 * a masked proxy (one with a login) was.
 */
export function identityOf(
  target: Target,
  options: Readonly<Record<string, unknown>>,
  kept: Readonly<Record<string, unknown>>,
): string {
  const { scheme, host, port, user } = target;
  const proxy = options['Proxy'] === mask ? kept['Proxy'] : options['Proxy'];
  const { User = '', Server = '', CompareSOAWith = [] } = options;
  return JSON.stringify([scheme, host, port, user ?? '', User, proxy ?? '', Server, CompareSOAWith]);
}

/** Whether a step of a check leads to an origin to which none led before. */
export function leadsElsewhere(options: Options, before: Options): boolean {
  const known = new Set(stepOrigins(before));
  return stepOrigins(options).some((origin) => !known.has(origin));
}

type Options = Readonly<Record<string, unknown>>;

/** The scheme, host and port of steps with a whole URL. One with a path stays at the address of the device. */
function stepOrigins({ Steps: steps }: Options): readonly string[] {
  return (Array.isArray(steps) ? steps : []).flatMap((step: unknown) => {
    const url = isRecord(step) ? step['URL'] : undefined;
    const origin = typeof url === 'string' ? /^[^/?]*:\/\/[^/?#\\]*/.exec(url)?.[0] : undefined;
    return origin?.toLowerCase() ?? [];
  });
}

/** The stored item of a list: the one with the same Name where items have names, else the one at the same place. */
function itemBefore(item: unknown, at: number, old: readonly unknown[]): unknown {
  const name = isRecord(item) ? item['Name'] : undefined;
  if (typeof name !== 'string') return old[at];
  return old.find((each) => isRecord(each) && each['Name'] === name);
}

/**
 * The Options with stored secrets instead of masks. A mask without a stored secret is a fault. So is a mask when the
 * target has changed; then also a secret that would stay because no Options were sent.
 */
export function fillMasks({
  probe,
  options,
  kept,
  stays,
  faults,
  sentAnew,
}: {
  readonly probe: AnyProbe;
  readonly options: Readonly<Record<string, unknown>>;
  readonly kept: Readonly<Record<string, unknown>>;
  readonly stays: boolean;
  readonly faults: FieldFault[];
  /** Options came with this request; false: these are the current ones, in clear, perhaps with other Headers. */
  readonly sentAnew: boolean;
}): Readonly<Record<string, unknown>> {
  const hidden = new Set(secretPaths(probe, options));
  const fill = (value: unknown, old: unknown, path: string): unknown => {
    if (typeof value === 'string') {
      if (!hidden.has(path)) return value;
      const isKept = value === mask || (!sentAnew && value === old);
      const holdsMask = !isKept && maskedPassword.test(value);
      if (!isKept && !holdsMask) return value;
      // The stored secret may be lost with its key. Then only the mask is left.
      if (isKept && stays && typeof old === 'string' && old !== mask) return old;
      const what =
        value === mask ? 'is the mask ***' : holdsMask ? 'holds *** for a password' : 'is a kept secret';
      faults.push({
        field: `Options.${path}`,
        message: `${what}; send the secret itself (it is kept only while scheme, host, port and user stay)`,
      });
      return value;
    }
    if (Array.isArray(value))
      return value.map((item: unknown, at) =>
        fill(item, Array.isArray(old) ? itemBefore(item, at, old) : undefined, path),
      );
    if (!isRecord(value)) return value;
    const before = isRecord(old) ? old : {};
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        fill(
          inner,
          Object.hasOwn(before, key) ? before[key] : undefined,
          path === '' ? key : `${path}.${key}`,
        ),
      ]),
    );
  };
  const filled = fill(options, kept, '');
  return isRecord(filled) ? filled : {};
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
