import { textOf } from '../json-values.ts';
import type { AccountResource, FileEntry, ManagedKind, ResourceSettings } from './managed-kinds.ts';

/** The resource of an entry. */
interface EntryMatch {
  readonly resource: AccountResource | undefined;
  /** The resource has no Key. It was matched by its own settings. */
  readonly isKeyless: boolean;
}

export type EntryMatches = ReadonlyMap<FileEntry, EntryMatch>;

/**
 * Matches entries with resources: by Key, else with the only resource without a Key that has the same identity. No
 * resource is matched twice.
 */
export function matchResources(
  entries: readonly FileEntry[],
  resources: readonly AccountResource[],
): EntryMatches {
  const byKey = new Map(
    resources.flatMap((resource) =>
      resource.key === null ? [] : [[`${resource.kind} ${resource.key}`, resource]],
    ),
  );
  const keyless = Map.groupBy(
    resources.filter(({ key }) => key === null),
    ({ kind, settings }) => identityOf(kind, settings),
  );
  const taken = new Set<AccountResource>();
  return new Map(
    entries.map((entry): [FileEntry, EntryMatch] => {
      const known = byKey.get(`${entry.kind} ${entry.key}`);
      if (known !== undefined) return [entry, { resource: known, isKeyless: false }];
      const [only, ...others] = keyless.get(identityOf(entry.kind, entry.settings)) ?? [];
      if (only === undefined || others.length > 0 || taken.has(only))
        return [entry, { resource: undefined, isKeyless: false }];
      taken.add(only);
      return [entry, { resource: only, isKeyless: true }];
    }),
  );
}

/** The identity of a resource without a Key: of a device Method, URL and ShortName, of others the name. */
function identityOf(kind: ManagedKind, { Method, URL, ShortName, Name }: ResourceSettings): string {
  return JSON.stringify(
    kind === 'device' ? [kind, Method, URL, ShortName] : [kind, textOf(Name).toLowerCase()],
  );
}
