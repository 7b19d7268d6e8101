import { parseEnv } from 'node:util';
import { messageOf } from './fault.ts';
import { nearestName } from './nearest-name.ts';
import { settings } from './settings.ts';

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

/**
 * The VANTAGE_ variables of an environment, on top of those of the settings file. `readText` throws when the file
 * cannot be read.
 */
export function gatherSettings(
  env: Readonly<Record<string, string | undefined>>,
  readText: (file: string) => string,
): Readonly<Record<string, string>> {
  const own = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    name.startsWith('VANTAGE_') && value !== undefined && value !== '' ? [[name, value]] : [],
  );
  const file = env['VANTAGE_SETTINGS_FILE'];
  const ofFile = file ? Object.entries(parseEnv(readText(file))) : [];
  return Object.fromEntries([
    ...ofFile.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : [])),
    ...own,
  ]);
}

const ofTests = new Set([
  'VANTAGE_TEST_DATABASE_URL',
  'VANTAGE_TEST_CITUS',
  'VANTAGE_TEST_ENGINES',
  'VANTAGE_TEST_POSTGRESQL_15',
]);

/** A sentence for each name that is no setting, with the nearest one. */
export function unknownSettings(names: Iterable<string>): string[] {
  return [...names]
    .filter((name) => !Object.hasOwn(settings, name) && !ofTests.has(name))
    .map((name) => {
      const near = nearestName(name, Object.keys(settings));
      return `${name} is not a setting${near ? `; did you mean ${near}?` : ''}`;
    });
}
