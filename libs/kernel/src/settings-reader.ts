import { messageOf } from './fault.ts';
import { gatherSettings, unknownSettings } from './settings.ts';

/** The values that a setting accepts: anything with zod's `safeParse`, and a description for the operator. */
export type Accepted<T> = readonly [
  schema: {
    safeParse(text: string): { readonly success: true; readonly data: T } | { readonly success: false };
  },
  words: string,
];

/** The sources of settings. */
export interface SettingsSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Throws when the file cannot be read. */
  readonly readText: (file: string) => string;
}

/** Reads settings one by one and collects their faults, so that the operator reads all at once. */
export interface SettingsReader {
  /** The text of each setting that is given, by environment or file. */
  readonly given: Readonly<Record<string, string>>;
  /** The faults so far, a sentence each; the caller may add some. */
  readonly problems: string[];
  /** The value; undefined when it is not given or not acceptable (a problem then). */
  readonly read: <T>(name: string, accepted: Accepted<T>) => T | undefined;
}

/**
 * Gathers the settings; names that are none, an unreadable file and a test's setting outside tests are problems
 * already.
 */
export function createSettingsReader(source: SettingsSource): SettingsReader {
  const problems: string[] = [];
  const given = gather(source, problems);
  problems.push(...unknownSettings(Object.keys(given)));
  if (given['VANTAGE_TEST_TIME_SCALE'] !== undefined && source.env['NODE_ENV'] !== 'test') {
    problems.push('VANTAGE_TEST_TIME_SCALE is for tests only (NODE_ENV=test)');
  }
  const read = <T>(name: string, [schema, words]: Accepted<T>): T | undefined => {
    const text = given[name];
    if (text === undefined) return undefined;
    const result = schema.safeParse(text);
    if (result.success) return result.data;
    problems.push(`${name} must be ${words}`);
    return undefined;
  };
  return { given, problems, read };
}

function gather({ env, readText }: SettingsSource, problems: string[]): Readonly<Record<string, string>> {
  try {
    return gatherSettings(env, readText);
  } catch (error) {
    problems.push(`VANTAGE_SETTINGS_FILE cannot be read: ${messageOf(error)}`);
    return gatherSettings({ ...env, VANTAGE_SETTINGS_FILE: undefined }, readText);
  }
}
