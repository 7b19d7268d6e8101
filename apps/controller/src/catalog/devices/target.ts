import { isSecretReference } from '@vantage/domain';
import { type FieldFault, faultsOf } from '@vantage/kernel';
import { type AnyProbe, keyProblems, probeFor, type Target } from '@vantage/probes';
import { fillMasks, identityOf, mask, maskedPassword, showOptions } from './masks.ts';

/** JSON object of Options, in clear. */
type ClearOptions = Readonly<Record<string, unknown>>;

/** URL and Options of a device with their secrets. */
export interface ClearTarget {
  readonly url: string;
  readonly options: ClearOptions;
}

/** The fields of a target that a client sent; undefined: the client did not send the field. */
export interface SentTarget {
  readonly URL?: string | undefined;
  readonly Options?: ClearOptions | null | undefined;
  readonly HostData?: { readonly headers?: Readonly<Record<string, string>> | undefined } | null | undefined;
}

/** The target as the database stores it, and as the API shows it. */
export interface ResolvedTarget {
  readonly clear: ClearTarget;
  readonly shownUrl: string;
  readonly shownOptions: ClearOptions;
  readonly host: string;
}

/** The resolved target, or the faults of the sent fields. */
export type TargetResolution =
  | { readonly ok: true; readonly target: ResolvedTarget }
  | { readonly ok: false; readonly faults: readonly FieldFault[] };

/**
 * Validates URL and Options by the Method's probe, and replaces masks by the stored secrets. Stored secrets stay only while scheme, host,
 * port, user and proxy stay the same. Otherwise a holder of an API key could send them to another host.
 */
export function resolveTarget(
  method: string,
  sent: SentTarget,
  current: ClearTarget | undefined,
): TargetResolution {
  const probe = probeFor(method);
  if (probe === undefined)
    return refuse([{ field: 'Method', message: `${method} is not available in this version` }]);
  const faults: FieldFault[] = [];
  const options = readOptions(method, sent, current, faults);
  const url = sent.URL ?? current?.url;
  if (url === undefined) {
    validateOptions(probe, options, faults); // the URL itself is named already: it is required
    return refuse(faults);
  }
  const given = probe.parseTarget(url);
  if (!given.ok) faults.push({ field: 'URL', message: `is not accepted: ${given.message}` });
  const old = current === undefined ? undefined : oldTarget(probe, current);
  const stays =
    given.ok &&
    old !== undefined &&
    identityOf(given.target, options, old.clear.options) ===
      identityOf(old.target, old.clear.options, old.clear.options);
  const filled = fillMasks({
    probe,
    options,
    kept: old?.clear.options ?? {},
    stays,
    faults,
    sentAnew: sent.Options !== undefined,
  });
  validateOptions(probe, filled, faults);
  // Only sent keys are checked, so that a device whose stored key is damaged can still be renamed.
  for (const { path, message } of keyProblems(probe, sent.Options))
    faults.push({ field: `Options.${path}`, message });
  const clearUrl = given.ok ? fillUrl(url, given.target, old?.target, stays, faults) : url;
  if (!given.ok || faults.length > 0) return refuse(faults);
  return {
    ok: true,
    target: {
      clear: { url: clearUrl, options: filled },
      shownUrl: showUrl(probe, clearUrl, given.target.display),
      shownOptions: showOptions(probe, filled),
      host: given.target.host,
    },
  };
}

function refuse(faults: readonly FieldFault[]): TargetResolution {
  return { ok: false, faults };
}

function oldTarget(probe: AnyProbe, clear: ClearTarget): { target: Target; clear: ClearTarget } | undefined {
  const parsed = probe.parseTarget(clear.url);
  return parsed.ok ? { target: parsed.target, clear } : undefined;
}

/** The Options asked for: those sent, else the current ones; HostData stands in for HTTP's Headers. */
function readOptions(
  method: string,
  { Options, HostData }: SentTarget,
  current: ClearTarget | undefined,
  faults: FieldFault[],
): ClearOptions {
  const base = Options === undefined ? (current?.options ?? {}) : (Options ?? {});
  if (HostData === undefined || (HostData === null && Options?.['Headers'] !== undefined)) return base;
  const headers = HostData?.headers ?? {};
  if (method !== 'HTTP') {
    if (Object.keys(headers).length > 0)
      faults.push({ field: 'HostData', message: 'is for the Method HTTP only' });
    return base;
  }
  const { Headers: sentHeaders, ...rest } = base;
  if (Options?.['Headers'] !== undefined && !sameRecord(sentHeaders, headers))
    faults.push({ field: 'HostData', message: 'and Options.Headers are the same thing and differ' });
  return Object.keys(headers).length === 0 ? rest : { ...rest, Headers: headers };
}

function validateOptions(probe: AnyProbe, options: ClearOptions, faults: FieldFault[]): void {
  const result = probe.options.safeParse(options, { reportInput: true });
  if (!result.success) faults.push(...faultsOf(result.error, 'Options'));
}

/** Replaces the mask in a URL by the stored password. */
function fillUrl(
  url: string,
  given: Target,
  old: Target | undefined,
  stays: boolean,
  faults: FieldFault[],
): string {
  if (given.password?.reveal() !== mask) return url;
  if (!stays || old?.password === undefined || old.password.reveal() === mask) {
    faults.push({
      field: 'URL',
      message:
        'holds *** for a password; send the password itself (the mask stands for it only while scheme, host, port and user stay)',
    });
    return url;
  }
  const password = old.password.reveal();
  const written = isSecretReference(password) ? password : encodeURIComponent(password);
  return url.replace(maskedPassword, () => `:${written}@`);
}

/** The URL as the API shows it: a password that is a reference hides nothing. */
function showUrl(probe: AnyProbe, clearUrl: string, display: string): string {
  const parsed = probe.parseTarget(clearUrl);
  const password = parsed.ok ? parsed.target.password?.reveal() : undefined;
  return password !== undefined && isSecretReference(password) ? clearUrl : display;
}

function sameRecord(a: unknown, b: Readonly<Record<string, string>>): boolean {
  if (!isRecord(a)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && a[name] === b[name])
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
