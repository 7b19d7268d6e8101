import { z } from 'zod';
import type { Role } from './controller-roles.ts';

/** The databases of a process. */
export interface DatabaseSettings {
  /** undefined: the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined;
  /** A replica from which history is read while its age is at most `maxAgeMs`; undefined: there is none. */
  readonly readReplica: { readonly url: string; readonly maxAgeMs: number } | undefined;
}

const address = z.string().regex(/^postgres(ql)?:\/\/./);

/** Each setting, and what it accepts in words. */
export const acceptedDatabase = {
  VANTAGE_DATABASE_URL: [address, 'postgres://user:password@host:5432/name'],
  VANTAGE_DATABASE_READ_URL: [address, 'postgres://user:password@host:5432/name of a replica'],
  VANTAGE_DATABASE_READ_MAX_SECONDS: [
    z
      .string()
      .regex(/^\d{1,4}$/)
      .transform(Number)
      .refine((seconds) => seconds >= 2 && seconds <= 3600),
    'a number of seconds from 2 to 3600',
  ],
} as const;

const defaultMaxSeconds = 10;

/** Reads the settings, and adds contradictions to `problems`. A process without the role `api` uses no replica. */
export function readDatabase(
  read: <T>(name: string, accepted: readonly [z.ZodType<T>, string]) => T | undefined,
  roles: ReadonlySet<Role>,
  problems: string[],
): DatabaseSettings {
  const accepted = acceptedDatabase;
  const databaseUrl = read('VANTAGE_DATABASE_URL', accepted.VANTAGE_DATABASE_URL);
  const url = read('VANTAGE_DATABASE_READ_URL', accepted.VANTAGE_DATABASE_READ_URL);
  const seconds = read('VANTAGE_DATABASE_READ_MAX_SECONDS', accepted.VANTAGE_DATABASE_READ_MAX_SECONDS);
  if (url !== undefined && databaseUrl === undefined)
    problems.push(
      'VANTAGE_DATABASE_READ_URL needs VANTAGE_DATABASE_URL: it names a replica of that database',
    );
  const isRead = url !== undefined && roles.has('api');
  return {
    databaseUrl,
    readReplica: isRead ? { url, maxAgeMs: (seconds ?? defaultMaxSeconds) * 1000 } : undefined,
  };
}
