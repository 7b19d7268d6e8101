import { isDeepStrictEqual } from 'node:util';
import {
  deviceSealContext,
  isMask,
  isSecretReference,
  mapQuerySecrets,
  maskQuerySecrets,
} from '@vantage/domain';
import { Fault, type FieldFault, faultsOf } from '@vantage/kernel';
import {
  type AnyProbe,
  maskOptions,
  probeFor,
  refusedTargetText,
  secretPaths,
  type Target,
} from '@vantage/probes';
import { keyProblems } from '@vantage/probes/settings';
import type { SealedJson, Sealer } from '../../platform/secrets/seal.ts';
import { sealedDevice } from '../../platform/secrets/sealed-device.ts';
import { mask } from '../change.ts';

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

/** Replaces the mask in a URL by the stored password. */
function fillUrl(
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
        'holds *** for a password; send the password itself (the mask stands for it only while scheme, host, port and user stay)',
    });
    return url;
  }
  const password = old.password.reveal();
  const written = isSecretReference(password) ? password : encodeURIComponent(password);
  return filled.replace(maskedPassword, () => `:${written}@`);
}

/** A URL's password in its mask, in any spelling. */
const maskedPassword = /:(?:\*|%2a){3}@/i;

/** Replaces masks in the query of a URL by the stored credentials of the same name and place. */
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
        message: `holds *** for ${name.replace(/\/\d+$/, '')} in its query; send the value itself (the mask stands for it only while scheme, host, port and user stay)`,
      });
    return known ?? value;
  });
}

/** The URL as the API shows it: a password that is a reference hides nothing. The display has masked the query. */
function showUrl(probe: AnyProbe, clearUrl: string, display: string): string {
  const parsed = probe.parseTarget(clearUrl);
  const password = parsed.ok ? parsed.target.password?.reveal() : undefined;
  return password !== undefined && isSecretReference(password) ? maskQuerySecrets(clearUrl) : display;
}

/** The Options as the API shows them: secrets masked, references to secrets as they stand. */
function showOptions(
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
function identityOf(
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
function fillMasks({
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

/** Seals URL and Options with their secrets. */
export function sealTarget(sealer: Sealer, deviceId: string, { url, options }: ClearTarget): Buffer {
  const value: Readonly<Record<string, SealedJson>> = sealedDevice.parse({ url, options });
  return sealer.seal(value, deviceSealContext(deviceId));
}

/** Opens what `sealTarget` sealed. */
export function openTarget(sealer: Sealer, deviceId: string, sealed: Uint8Array): ClearTarget {
  const parsed = sealedDevice.safeParse(sealer.open(sealed, deviceSealContext(deviceId)));
  if (!parsed.success)
    throw new Fault('drop', 'sealed', `the sealed value of device ${deviceId} has another form`);
  return parsed.data;
}

/** Like `openTarget`; where the key is lost, what the API shows of it, masks and all. */
export function openOrShown(
  sealer: Sealer,
  row: { readonly device_id: string; readonly sealed: Uint8Array } & ShownTarget,
): ClearTarget {
  try {
    return openTarget(sealer, row.device_id, row.sealed);
  } catch (error) {
    if (error instanceof Fault) return { url: row.url, options: row.options };
    throw error;
  }
}

interface ShownTarget {
  readonly url: string;
  readonly options: Readonly<Record<string, unknown>>;
}
