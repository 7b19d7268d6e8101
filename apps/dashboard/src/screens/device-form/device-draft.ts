import type { Schemas } from '@vantage/client';
import { isReceived } from '@vantage/domain/method';
import { guessMethod } from '../../model/guess-method.ts';
import { readWarningDays, warningDaysText } from '../../model/warning-days.ts';

/** The form of a device. */
export interface DeviceDraft {
  readonly isNew: boolean;
  /** The pasted text, from which the URL is derived. */
  readonly pasted: string;
  readonly url: string;
  readonly method: string;
  /** The Method was chosen, so it is no longer guessed. */
  readonly isMethodChosen: boolean;
  readonly shortName: string;
  readonly fullName: string;
  /** Seconds between checks. */
  readonly intervalS: number;
  /** Empty: the default. So are `attempts` and `retryDelay`. */
  readonly timeout: string;
  readonly attempts: string;
  readonly retryDelay: string;
  /** Days before the end of a certificate or domain, as they are typed. Empty: those of the account. */
  readonly expiryDays: string;
  readonly severity: string;
  readonly isEnabled: boolean;
  /** Undefined: the default Locations of the account. */
  readonly locations: readonly string[] | undefined;
  readonly tags: readonly string[];
  /** Empty: the schedule of the account. */
  readonly nscheduleId: string;
  /** Empty: none. So are `masterId`, `externalKey` and `source`. */
  readonly mscheduleId: string;
  readonly masterId: string;
  readonly externalKey: string;
  readonly source: string;
  /** Options by Method and name, so that none is lost when the Method is changed and changed back; absent: not set. */
  readonly options: Readonly<Record<string, Options>>;
}

/** Options by name. */
export type Options = Readonly<Record<string, unknown>>;

/** The defaults of the API, which the form shows. */
export const deviceDefaults = { timeout: 30, attempts: 3, retryDelay: 1 } as const;

/** A value that cannot be sent as it is. It is kept as it was typed. */
export class Unsent {
  /** The texts of its fields. */
  readonly typed: unknown;
  /** The fault, and a text that would be accepted. */
  readonly fault: string;

  constructor(typed: unknown, fault: string) {
    this.typed = typed;
    this.fault = fault;
  }
}

/** The Options of the draft's Method. */
export const optionsOf = ({ options, method }: DeviceDraft): Options => options[method] ?? {};

const isOptions = (value: unknown): value is Options =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unsent);

/** The value of an Option or of a part of it; undefined: not set. */
export function optionAt(draft: DeviceDraft, path: readonly string[]): unknown {
  let value: unknown = optionsOf(draft);
  for (const name of path) value = isOptions(value) ? value[name] : undefined;
  return value;
}

/** The Options with another value at a path; undefined removes it, and an object that is left empty. */
function withValue(options: Options, [name = '', ...rest]: readonly string[], value: unknown): Options {
  const before = options[name];
  const inner = rest.length === 0 ? value : withValue(isOptions(before) ? before : {}, rest, value);
  const isEmpty = rest.length > 0 && isOptions(inner) && Object.keys(inner).length === 0;
  const { [name]: _, ...others } = options;
  if (inner === undefined || isEmpty) return others;
  return name in options ? { ...options, [name]: inner } : { ...others, [name]: inner };
}

/** The change of a draft that sets an Option of its Method; undefined: not set. */
export function setOption(
  draft: DeviceDraft,
  path: readonly string[],
  value: unknown,
): Pick<DeviceDraft, 'options'> {
  return { options: { ...draft.options, [draft.method]: withValue(optionsOf(draft), path, value) } };
}

/** The faults of fields that cannot be sent, by their names in the API. Pure. */
export function faultsOf(draft: DeviceDraft): ReadonlyMap<string, string> {
  const faults = new Map<string, string>();
  const visit = (value: unknown, name: string): void => {
    if (value instanceof Unsent) faults.set(name, value.fault);
    else if (Array.isArray(value)) for (const item of value) visitItem(item, name);
    else if (isOptions(value))
      for (const [part, inner] of Object.entries(value)) visit(inner, `${name}.${part}`);
  };
  // The list shows the fault of any of its parts.
  const visitItem = (item: unknown, name: string): void => {
    if (isOptions(item)) for (const inner of Object.values(item)) visit(inner, name);
    else visit(item, name);
  };
  visit(optionsOf(draft), 'Options');
  return faults;
}

/** The form of a new device. */
export function newDeviceDraft(pasted: string): DeviceDraft {
  const guess = guessMethod(pasted);
  return {
    isNew: true,
    pasted,
    url: guess?.url ?? pasted,
    method: guess?.method ?? 'HTTP',
    isMethodChosen: false,
    shortName: guess?.shortName ?? '',
    fullName: guess?.fullName ?? '',
    intervalS: 60,
    timeout: '',
    attempts: '',
    retryDelay: '',
    expiryDays: '',
    severity: 'critical',
    isEnabled: true,
    locations: undefined,
    tags: [],
    nscheduleId: '',
    mscheduleId: '',
    masterId: '',
    externalKey: '',
    source: '',
    options: {},
  };
}

/** A number as text; a default is shown as the placeholder of an empty field. */
const numberText = (value: number, byDefault: number) => (value === byDefault ? '' : String(value));

/** The form of a stored device. */
export function deviceDraft(device: Schemas['Device']): DeviceDraft {
  return {
    isNew: false,
    pasted: device.URL,
    url: device.URL,
    method: device.Method,
    isMethodChosen: true,
    shortName: device.ShortName,
    fullName: device.FullName ?? '',
    intervalS: device.FrequencySeconds ?? device.Frequency * 60,
    timeout: numberText(device.Timeout, deviceDefaults.timeout),
    attempts: numberText(device.Attempts, deviceDefaults.attempts),
    retryDelay: numberText(device.RetryDelay, deviceDefaults.retryDelay),
    expiryDays: warningDaysText(device.ExpiryWarningDays),
    severity: device.Severity,
    isEnabled: device.Enabled,
    locations: device.Locations,
    tags: device.Tags.map(({ Name }) => Name),
    nscheduleId: device.nschedule_id ?? '',
    mscheduleId: device.mschedule_id ?? '',
    masterId: device.device_master_id ?? '',
    externalKey: device.ExternalKey ?? '',
    source: device.Source ?? '',
    options: { [device.Method]: device.Options },
  };
}

const mask = '***';

/** The Options without masked secrets, and the names of those. */
function withoutMasks(options: Options, prefix = ''): readonly [Options, readonly string[]] {
  const copied: Record<string, unknown> = {};
  const lost: string[] = [];
  for (const [name, value] of Object.entries(options)) {
    if (Array.isArray(value)) {
      const items = value.map((item: unknown) =>
        isOptions(item) ? withoutMasks(item, `${prefix}${name}.`) : ([item, []] as const),
      );
      copied[name] = items.map(([item]) => item);
      lost.push(...items.flatMap(([, itemLost]) => itemLost));
    } else if (isOptions(value)) {
      const [inner, innerLost] = withoutMasks(value, `${prefix}${name}.`);
      if (Object.keys(inner).length > 0) copied[name] = inner;
      lost.push(...innerLost);
    } else if (typeof value === 'string' && value.includes(mask)) lost.push(`${prefix}${name}`);
    else copied[name] = value;
  }
  return [copied, lost];
}

/**
 * The form of a new device with the settings of another one. Secrets are masked in the API's answers, so they cannot be
 * copied; `lost` has their names.
 */
export function copiedDraft(device: Schemas['Device']): {
  readonly draft: DeviceDraft;
  readonly lost: readonly string[];
} {
  const [options, lost] = withoutMasks(device.Options);
  const isUrlMasked = device.URL.includes(mask);
  const draft = {
    ...deviceDraft(device),
    isNew: true,
    fullName: `${device.FullName ?? device.ShortName} (copy)`.slice(0, 1_000),
    externalKey: '',
    source: '',
    options: { [device.Method]: options },
  };
  return { draft, lost: isUrlMasked ? ['URL', ...lost] : lost };
}

const textOrNull = (text: string) => (text.trim() === '' ? null : text.trim());

function numberOrNull(text: string): number | string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
}

/** The settings of checks by agents. */
function agentSettings(draft: DeviceDraft) {
  const attempts = numberOrNull(draft.attempts);
  return {
    Locations: draft.locations ?? null,
    Timeout: numberOrNull(draft.timeout),
    // If Attempts is null, the API uses Retries, the older name of the same setting.
    ...(attempts === null ? { Attempts: null, Retries: null } : { Attempts: attempts }),
    RetryDelay: numberOrNull(draft.retryDelay),
  };
}

/**
 * The body that stores a draft. An invalid number is sent as text, so that the API explains what it accepts. A cleared
 * field is sent as null, which sets its default.
 */
export function deviceBody(draft: DeviceDraft): Readonly<Record<string, unknown>> {
  const options = optionsOf(draft);
  return {
    Method: draft.method,
    URL: isReceived(draft.method) ? 'push:' : draft.url,
    ShortName: draft.shortName.trim(),
    FullName: textOrNull(draft.fullName),
    ...(draft.intervalS < 60
      ? { FrequencySeconds: draft.intervalS }
      : { Frequency: draft.intervalS / 60, FrequencySeconds: null }),
    Severity: draft.severity,
    Enabled: draft.isEnabled,
    Tags: draft.tags,
    Options: Object.keys(options).length === 0 ? null : options,
    ...(isReceived(draft.method) ? {} : agentSettings(draft)),
    ExpiryWarningDays: readWarningDays(draft.expiryDays),
    nschedule_id: textOrNull(draft.nscheduleId),
    mschedule_id: textOrNull(draft.mscheduleId),
    device_master_id: textOrNull(draft.masterId),
    ExternalKey: textOrNull(draft.externalKey),
    Source: textOrNull(draft.source),
  };
}

/** The maximum Timeout of a trial, seconds. */
const maxTrialS = 30;

/** The body that tries a draft from a Location. `device_id`: the stored device, whose secrets replace masks. */
export function trialBody(
  draft: DeviceDraft,
  Location: string,
  device_id?: string,
): Readonly<Record<string, unknown>> {
  const { Method, URL, Options, ShortName, Timeout } = deviceBody(draft);
  return {
    Method,
    URL,
    Options,
    ...(ShortName === '' ? {} : { ShortName }),
    Timeout: typeof Timeout === 'number' ? Math.min(maxTrialS, Timeout) : Timeout,
    Location,
    ...(device_id === undefined ? {} : { device_id }),
  };
}

export interface DeviceFieldsProps {
  readonly draft: DeviceDraft;
  readonly set: (change: Partial<DeviceDraft>) => void;
}
