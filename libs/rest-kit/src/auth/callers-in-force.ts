import type { Membership } from './choose-account.ts';
import type { Level } from './session.ts';

/** A key that is in force, with what is needed of its account. */
export interface KeyInForce {
  readonly keyNo: number;
  /** The SHA-256 of the key, or of a session's token. */
  readonly hash: Uint8Array;
  readonly name: string;
  readonly level: Level;
  readonly basicUser: string | null;
  readonly basicHash: string | null;
  readonly accountNo: number;
  readonly accountId: string;
  readonly timezone: string;
  /** The tags to which it is limited; null: it is not. */
  readonly tagNos: readonly number[] | null;
}

/** A person in force in an account, with the key that represents them. */
export interface PersonInForce extends Membership {
  readonly row: KeyInForce;
  /** null: they chose none yet. */
  readonly passwordHash: string | null;
}

/** A session that is in force, and the key with which it was begun. */
export interface SessionInForce extends KeyInForce {
  readonly sessionNo: number;
  readonly endsUs: number;
  readonly isByProvider: boolean;
}
