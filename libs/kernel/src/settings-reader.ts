import { parseEnv } from 'node:util';
import { messageOf } from './fault.ts';
import { nearestName } from './nearest-name.ts';
import { settings } from './settings.ts';

/** The values that a setting accepts: a schema, and a description for the operator. */
export type Accepted<T> = readonly [
  schema: {
    safeParse(text: string): { readonly success: true; readonly data: T } | { readonly success: false };
  },
  words: string,
];

export interface SettingsSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Throws when the file cannot be read. */
  readonly readText: (file: string) => string;
}

/** Reads settings and collects their faults, so that the operator sees all of them. */
export interface SettingsReader {
  /** The settings of the environment and the file, as texts. */
  readonly given: Readonly<Record<string, string>>;
  /** The faults so far, a sentence each; the caller may add some. */
  readonly problems: string[];
  /** The value; undefined when it is missing or, with a problem, not acceptable. */
  readonly read: <T>(name: string, accepted: Accepted<T>) => T | undefined;
}

/** Reports unknown names, an unreadable file and a test's setting outside tests as problems. */
export function createSettingsReader(source: SettingsSource): SettingsReader {
  const problems: string[] = [];
  const texts = gather(source, problems);
  problems.push(...unknownSettings(Object.keys(texts)));
  if (texts['VANTAGE_TEST_TIME_SCALE'] !== undefined && source.env['NODE_ENV'] !== 'test') {
    problems.push('VANTAGE_TEST_TIME_SCALE is for tests only (NODE_ENV=test)');
  }
  const read = <T>(name: string, [schema, words]: Accepted<T>): T | undefined => {
    const text = texts[name];
    if (text === undefined) return undefined;
    const result = schema.safeParse(text);
    if (result.success) return result.data;
    problems.push(`${name} must be ${words}`);
    return undefined;
  };
  return { given: texts, problems, read };
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
 * The VANTAGE_ variables of the settings file, overridden by those of the environment. Throws when `readText` does.
 */
export function gatherSettings(
  env: Readonly<Record<string, string | undefined>>,
  readText: (file: string) => string,
): Readonly<Record<string, string>> {
  const ofEnv = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    name.startsWith('VANTAGE_') && value !== undefined && value !== '' ? [[name, value]] : [],
  );
  const file = env['VANTAGE_SETTINGS_FILE'];
  const ofFile = file ? Object.entries(parseEnv(readText(file))) : [];
  return Object.fromEntries([
    ...ofFile.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : [])),
    ...ofEnv,
  ]);
}

const ofTests = new Set([
  'VANTAGE_TEST_DATABASE_URL',
  'VANTAGE_TEST_CITUS',
  'VANTAGE_TEST_ENGINES',
  'VANTAGE_TEST_POSTGRESQL_15',
]);

/** A sentence for each name that is not a setting, with the nearest known name. */
export function unknownSettings(names: Iterable<string>): string[] {
  return [...names]
    .filter((name) => !Object.hasOwn(settings, name) && !ofTests.has(name))
    .map((name) => {
      const near = nearestName(name, Object.keys(settings));
      return `${name} is not a setting${near ? `; did you mean ${near}?` : ''}`;
    });
}
