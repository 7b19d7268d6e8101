import type { FoundCheck, ImportNote } from '../found-check.ts';
import type { FileDevice } from './apply-file.ts';
import { asRead } from './unique-names.ts';

/** A check and the device that it became. */
export interface ImportedDevice {
  readonly check: FoundCheck;
  readonly device: FileDevice;
}

/**
 * The devices with their masters by Key, each after its master. Notes a master that was not imported, and one that
 * would close a cycle.
 */
export function withMasters(imported: readonly ImportedDevice[], lost: ImportNote[]): FileDevice[] {
  const masterOf = findMasters(imported, lost);
  const ordered = new Set<FileDevice>();
  for (const { device } of imported) {
    const newAncestors: FileDevice[] = [];
    for (
      let ancestor: FileDevice | undefined = device;
      ancestor !== undefined && !ordered.has(ancestor);
      ancestor = masterOf.get(ancestor)
    )
      newAncestors.push(ancestor);
    for (const ancestor of newAncestors.reverse()) ordered.add(ancestor);
  }
  return [...ordered].map((device) =>
    withoutUndefined({ ...device, device_master_id: masterOf.get(device)?.Key }),
  );
}

function findMasters(
  imported: readonly ImportedDevice[],
  lost: ImportNote[],
): ReadonlyMap<FileDevice, FileDevice> {
  const deviceById = new Map<string, FileDevice>();
  for (const { check, device } of imported) {
    const id = asRead(check.id ?? check.name);
    if (!deviceById.has(id)) deviceById.set(id, device);
  }
  const masterOf = new Map<FileDevice, FileDevice>();
  for (const { check, device } of imported) {
    if (check.master === undefined) continue;
    const noteLost = (why: string) =>
      lost.push({
        at: check.at,
        name: check.name,
        text: `its master ${JSON.stringify(check.master)} ${why}`,
      });
    const master = deviceById.get(asRead(check.master));
    if (master === undefined) noteLost('was not carried over');
    else if (isDependentOn(master, device, masterOf)) noteLost('depends on it, too');
    else masterOf.set(device, master);
  }
  return masterOf;
}

function isDependentOn(
  device: FileDevice,
  master: FileDevice,
  masterOf: ReadonlyMap<FileDevice, FileDevice>,
): boolean {
  for (
    let ancestor: FileDevice | undefined = device;
    ancestor !== undefined;
    ancestor = masterOf.get(ancestor)
  )
    if (ancestor === master) return true;
  return false;
}

/** The record without its undefined fields. */
export function withoutUndefined<T extends object>(fields: T): T {
  const defined: T = { ...fields };
  for (const [name, value] of Object.entries(defined))
    if (value === undefined) Reflect.deleteProperty(defined, name);
  return defined;
}
