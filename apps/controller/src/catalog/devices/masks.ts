import { isSecretReference } from '@vantage/domain';
import type { FieldFault } from '@vantage/kernel';
import { type AnyProbe, maskOptions, secretPaths, type Target } from '@vantage/probes';

/** An answer shows this text in the place of a secret. */
export const mask = '***';

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

/** A URL's password in its mask, in any spelling. */
export const maskedPassword = /:(?:\*|%2a){3}@/i;

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

/**
 * The Options with kept secrets in the place of their masks. Names a fault where no secret is kept, or where the target
 * is another one now; then also for secrets that would stay because no Options were sent at all.
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
      return value.map((item: unknown, at) => fill(item, Array.isArray(old) ? old[at] : undefined, path));
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
