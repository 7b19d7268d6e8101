import type { AccountResource } from './managed-kinds.ts';

/** The resources of an account, and the defaults for resources that name nothing. */
export interface AccountState {
  readonly resources: readonly AccountResource[];
  readonly timezone: string;
  /** Of devices without Locations. */
  readonly defaultLocationIds: readonly string[];
}
