import type { Entry, Settings, Thing } from './kinds.ts';

/** An entry as it is to be: every field, other things as the API takes them. */
export interface Wanted {
  readonly entry: Entry;
  readonly name: string;
  readonly settings: Settings;
  /** Fields that are never shown, where the file has them. */
  readonly secrets: Settings;
  /** The thing of the account; undefined: there is none. */
  readonly thing: Thing | undefined;
  /** The thing has no Key; it is the same by what it is. */
  readonly isKeyless: boolean;
}
