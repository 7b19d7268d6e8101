import type { AccountResource, FileEntry, ResourceSettings } from './managed-kinds.ts';

/** An entry in the form of the API: every field, references to other resources resolved. */
export interface DesiredResource {
  readonly entry: FileEntry;
  readonly name: string;
  readonly settings: ResourceSettings;
  /** The fields of the file that the API never shows. */
  readonly secrets: ResourceSettings;
  /** The resource in the account; undefined: it must be created. */
  readonly resource: AccountResource | undefined;
  /** The resource has no Key. It was matched by its own settings. */
  readonly isKeyless: boolean;
}
