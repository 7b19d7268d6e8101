import { textOf } from '../json-values.ts';
import type { DesiredResource } from './desired-resource.ts';
import { type AccountResource, kindNames } from './managed-kinds.ts';

/** The order of creation: by kind, and masters before their dependents. */
export function inCreationOrder(desired: readonly DesiredResource[]): readonly DesiredResource[] {
  const deviceByReference = new Map(
    desired.flatMap((resource) =>
      resource.entry.kind === 'device' ? [[`key:${resource.entry.key}`, resource]] : [],
    ),
  );
  const byKind = kindNames.flatMap((kind) => desired.filter(({ entry }) => entry.kind === kind));
  return mastersFirst(byKind, ({ settings }) => deviceByReference.get(textOf(settings['device_master_id'])));
}

/** The order of deletion: dependents before their masters, and everything before what it refers to. */
export function inDeletionOrder(resources: readonly AccountResource[]): readonly AccountResource[] {
  const byId = new Map(resources.map((resource) => [resource.id, resource]));
  const byKind = kindNames.flatMap((kind) => resources.filter((resource) => resource.kind === kind));
  return [
    ...mastersFirst(byKind, ({ settings }) => byId.get(textOf(settings['device_master_id']))),
  ].reverse();
}

/** A cycle of masters ends where it begins; the API rejects it. */
function mastersFirst<T>(items: readonly T[], masterOf: (item: T) => T | undefined): readonly T[] {
  const ordered = new Set<T>();
  for (const item of items) {
    const ancestors = new Set<T>();
    for (
      let ancestor: T | undefined = item;
      ancestor !== undefined && !ordered.has(ancestor) && !ancestors.has(ancestor);
      ancestor = masterOf(ancestor)
    )
      ancestors.add(ancestor);
    for (const ancestor of [...ancestors].reverse()) ordered.add(ancestor);
  }
  return [...ordered];
}
