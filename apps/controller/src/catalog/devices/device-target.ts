import { isDeepStrictEqual } from 'node:util';
import { type FieldFault, faultsOf } from '@vantage/kernel';
import { type AnyProbe, probeFor, refusedTargetText, type Target } from '@vantage/probes';
import { keyProblems } from '@vantage/probes/settings';
import {
  fillMasks,
  fillUrl,
  identityOf,
  isRecord,
  leadsElsewhere,
  showOptions,
  showUrl,
} from './target-masks.ts';

/** URL and Options of a device with their secrets. */
export interface ClearTarget {
  readonly url: string;
  readonly options: ClearOptions;
}

/** JSON object of Options, in clear. */
type ClearOptions = Readonly<Record<string, unknown>>;

/** The fields of a target that a client sent; undefined: the client did not send the field. */
interface SentTarget {
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
type TargetResolution =
  | { readonly ok: true; readonly target: ResolvedTarget }
  | { readonly ok: false; readonly faults: readonly FieldFault[] };

/**
 * Validates URL and Options by the Method's probe, and replaces masks by the stored secrets. Stored secrets stay only
 * while scheme, host, port, user and proxy stay the same. Otherwise a holder of an API key could send them to another
 * host.
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
  const options = readOptions(probe, sent, current, faults);
  const url = sent.URL ?? current?.url;
  if (url === undefined) {
    validateOptions(probe, options, faults); // the URL itself is named already: it is required
    return refuse(faults);
  }
  const given = probe.parseTarget(url);
  if (!given.ok) faults.push({ field: 'URL', message: refusedTargetText(given.message) });
  const old = current === undefined ? undefined : oldTarget(probe, current);
  const stays =
    given.ok &&
    old !== undefined &&
    identityOf(given.target, options, old.clear.options) ===
      identityOf(old.target, old.clear.options, old.clear.options) &&
    !leadsElsewhere(options, old.clear.options);
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

/** The Options: those sent, else the current ones. HostData replaces HTTP's Headers. */
function readOptions(
  probe: AnyProbe,
  { Options, HostData }: SentTarget,
  current: ClearTarget | undefined,
  faults: FieldFault[],
): ClearOptions {
  const base = Options === undefined ? (current?.options ?? {}) : (Options ?? {});
  const headers = HostData === null ? {} : HostData?.headers;
  if (headers === undefined) return base;
  if (probe.method !== 'HTTP') {
    if (Object.keys(headers).length > 0)
      faults.push({
        field: 'HostData',
        message: `is for devices of Method HTTP only, and this one is of Method ${probe.method}; leave HostData out`,
      });
    return base;
  }
  const { Headers: sentHeaders, ...rest } = base;
  const chosen = chooseHeaders(Options === undefined ? undefined : { sent: sentHeaders }, headers, (each) =>
    isStored(each, probe, current),
  );
  if (chosen === undefined)
    faults.push({
      field: 'HostData',
      message:
        'and Options.Headers are two names of the same headers, and the values sent differ; send one of them, or the same value in both',
    });
  return chosen === undefined || isEmpty(chosen) ? rest : { ...rest, Headers: chosen };
}

/**
 * The headers that count: of both names, the one that differs from the stored headers. Undefined: both differ from
 * these and from each other. Pure.
 */
function chooseHeaders(
  options: { readonly sent: unknown } | undefined,
  hostData: Readonly<Record<string, string>>,
  isStored: (headers: unknown) => boolean,
): unknown {
  if (options === undefined || isStored(options.sent)) return hostData;
  if (isStored(hostData) || isDeepStrictEqual(options.sent, hostData)) return options.sent ?? {};
  return options.sent === undefined ? hostData : undefined;
}

/** Are these the stored headers, in clear or as the API shows them? */
function isStored(headers: unknown, probe: AnyProbe, current: ClearTarget | undefined): boolean {
  const stored = current?.options ?? {};
  return [stored, showOptions(probe, stored)].some((each) =>
    isDeepStrictEqual(headers ?? {}, each['Headers'] ?? {}),
  );
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

function validateOptions(probe: AnyProbe, options: ClearOptions, faults: FieldFault[]): void {
  const result = probe.options.safeParse(options, { reportInput: true });
  if (!result.success) faults.push(...faultsOf(result.error, probe.options, 'Options'));
}
