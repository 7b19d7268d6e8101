import type { Zone } from '../forms/zone.ts';
import { denied } from '../serve/problem.ts';

/** Authorization levels of a key, each with the rights of those before it: reader, operator, writer, admin. */
export const levels = ['UR', 'UO', 'UW', 'UA'] as const;

/** Authorization level of a key. */
export type Level = (typeof levels)[number];

/** A sign-in by a browser. */
export interface SignIn {
  readonly sessionNo: number;
  /** When it ends at the latest if it is not used again, epoch microseconds. */
  readonly endsUs: number;
  /** Writes must carry it in the header X-CSRF-Token. */
  readonly csrfToken: string;
  /** A sign-in provider (OpenID Connect) signed the person in. */
  readonly isByProvider: boolean;
}

/** The caller: an account by one of its keys. */
export interface Session {
  readonly accountNo: number;
  readonly accountId: string;
  readonly keyNo: number;
  /** The key's name; '': it has none. */
  readonly keyName: string;
  /** The caller's address. */
  readonly address: string;
  readonly level: Level;
  /** A user name and password go with this key. */
  readonly hasBasic: boolean;
  /** The account's time zone. */
  readonly zone: Zone;
  /**
   * Numbers of tags: the caller sees and changes only devices that have one of them, and what belongs to them.
   * undefined: no limit.
   */
  readonly scope?: readonly number[];
  /** undefined: the request carries the key itself. */
  readonly signIn?: SignIn;
}

/** Throws a Problem (1002) where the caller may not use routes of this level. */
export function requireLevel(session: Session | undefined, level: Level | 'none'): void {
  if (level === 'none') return;
  if (session === undefined || levels.indexOf(session.level) < levels.indexOf(level)) throw denied();
}
