import type { Schemas } from '@vantage/client';
import { guessMethod } from '../../model/guess-method.ts';
import { texts } from '../../texts/index.ts';

/** A device as the form holds it. */
export interface Draft {
  readonly isNew: boolean;
  /** The pasted text; the URL follows from it. */
  readonly pasted: string;
  readonly url: string;
  readonly method: string;
  /** Somebody chose the Method, so it is not guessed any more. */
  readonly isMethodChosen: boolean;
  readonly shortName: string;
  readonly fullName: string;
  /** Seconds between checks. */
  readonly intervalS: number;
  readonly timeout: string;
  readonly attempts: string;
  readonly severity: string;
  /** Undefined: those of the account. */
  readonly locations: readonly string[] | undefined;
  readonly tags: string;
  /** Options by Method and name, so that another Method and back loses none; what is absent is not set. */
  readonly options: Readonly<Record<string, Options>>;
}

/** Options by name. */
type Options = Readonly<Record<string, unknown>>;

/** A text that is to be JSON and is not. It is kept as it was typed, and never sent. */
export class UnparsedText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The Options of the draft's Method. */
export const optionsOf = ({ options, method }: Draft): Options => options[method] ?? {};

/** The sentences about fields that cannot be sent, by their names in the API: Options that are no JSON. Pure. */
export function faultsOf(draft: Draft): ReadonlyMap<string, string> {
  const bad = Object.entries(optionsOf(draft)).filter(([, value]) => value instanceof UnparsedText);
  return new Map(bad.map(([name]) => [`Options.${name}`, texts.edit.notJson(name)]));
}

/** The form of a device that does not exist yet. */
export function newDraft(pasted: string): Draft {
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
    severity: 'critical',
    locations: undefined,
    tags: '',
    options: {},
  };
}

/** The form of a device as it is stored. */
export function draftOf(device: Schemas['Device']): Draft {
  return {
    isNew: false,
    pasted: device.URL,
    url: device.URL,
    method: device.Method,
    isMethodChosen: true,
    shortName: device.ShortName,
    fullName: device.FullName ?? '',
    intervalS: device.FrequencySeconds ?? device.Frequency * 60,
    timeout: String(device.Timeout),
    attempts: String(device.Attempts),
    severity: device.Severity,
    locations: device.Locations,
    tags: device.Tags.map(({ Name }) => Name).join(', '),
    options: { [device.Method]: device.Options },
  };
}

/** The names of tags in a text: `berlin/core, home`. */
export function tagNames(text: string): readonly string[] {
  return [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
}

/**
 * The body that stores a draft. A number that is no number goes as its text, so that the API says what is accepted. A
 * field that was cleared goes as null, which sets its default.
 */
export function bodyOf(draft: Draft): Readonly<Record<string, unknown>> {
  const numberOf = (text: string) => {
    if (text.trim() === '') return null;
    return /^\d+$/.test(text.trim()) ? Number(text) : text.trim();
  };
  const options = optionsOf(draft);
  const attempts = numberOf(draft.attempts);
  return {
    Method: draft.method,
    URL: draft.url,
    ShortName: draft.shortName.trim(),
    FullName: draft.fullName.trim() === '' ? null : draft.fullName.trim(),
    ...(draft.intervalS < 60
      ? { FrequencySeconds: draft.intervalS }
      : { Frequency: draft.intervalS / 60, FrequencySeconds: null }),
    Severity: draft.severity,
    Tags: tagNames(draft.tags),
    Options: Object.keys(options).length === 0 ? null : options,
    Locations: draft.locations ?? null,
    Timeout: numberOf(draft.timeout),
    // Where Attempts is null, Retries counts, the older name of the same setting.
    ...(attempts === null ? { Attempts: null, Retries: null } : { Attempts: attempts }),
  };
}

/** The longest Timeout of a trial, seconds. */
const longestTrial = 30;

/** The body that tries a draft from a Location; '': from the device's first, else the account's. */
export function trialOf(draft: Draft, from: string): Readonly<Record<string, unknown>> {
  const { ShortName, Tags: _, Locations: __, Timeout, ...settings } = bodyOf(draft);
  const [first = ''] = draft.locations ?? [];
  const location = from === '' ? first : from;
  return {
    ...settings,
    ...(ShortName === '' ? {} : { ShortName }),
    Timeout: typeof Timeout === 'number' ? Math.min(longestTrial, Timeout) : Timeout,
    ...(location === '' ? {} : { Location: location }),
  };
}

export interface FieldsProps {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
}
