import type { Zone } from './zone.ts';

/** Authorization level of a key: User Writer or User Reader. */
export type Level = 'UW' | 'UR';

/** Who asks: an account by one of its keys. */
export interface Session {
  readonly accountNo: number;
  readonly accountId: string;
  readonly keyNo: number;
  /** The caller's address. */
  readonly address: string;
  readonly level: Level;
  /** A user name and password go with this key. */
  readonly hasBasic: boolean;
  /** The account's time zone. */
  readonly zone: Zone;
}
