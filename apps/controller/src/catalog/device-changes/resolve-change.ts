import type { FieldFault } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { LocationRow } from '../devices/device-store.ts';
import { resolveReferences } from '../devices/references.ts';
import { withMasters } from './candidate-store.ts';
import type { AskedChange } from './device-change-fields.ts';
import type { ResolvedChange } from './judge-devices.ts';

/** Looks up what the change names. A fault names each thing that does not exist, by its field in the body. */
export async function resolveChange(
  db: Kysely<Tables>,
  accountNo: number,
  { Set: set = {}, AddTags, RemoveTags }: AskedChange,
): Promise<{
  readonly wanted: ResolvedChange;
  readonly locations: readonly LocationRow[];
  readonly faults: readonly FieldFault[];
}> {
  const own = await resolveReferences(db, accountNo, set, undefined);
  const adding = await resolveReferences(db, accountNo, { Tags: AddTags ?? [], Locations: [] }, undefined);
  const removing = await resolveReferences(
    db,
    accountNo,
    { Tags: RemoveTags ?? [], Locations: [] },
    undefined,
  );
  const { references } = own;
  const wanted: ResolvedChange = {
    set,
    nscheduleNo: references.nscheduleNo,
    mscheduleNo: references.mscheduleNo,
    masterNo: references.masterNo,
    above: references.masterNo === null ? new Set() : await withMasters(db, references.masterNo),
    locationNos: references.locations.map(({ location_no }) => location_no),
    locationsGiven: references.locationsGiven,
    addTagNos: adding.references.tags.map(({ tag_no }) => tag_no),
    removeTagNos: removing.references.tags.map(({ tag_no }) => tag_no),
  };
  const named = (faults: readonly FieldFault[], name: (field: string) => string): FieldFault[] =>
    faults.map(({ field, message }) => ({ field: name(field), message }));
  return {
    wanted,
    locations: references.locations,
    faults: [
      ...named(own.faults, (field) => `Set.${field}`),
      ...named(adding.faults, () => 'AddTags'),
      ...named(removing.faults, () => 'RemoveTags'),
    ],
  };
}

/** Contradictions between the parts of a change. Pure. */
export function contradictions(asked: AskedChange): readonly FieldFault[] {
  const { Set: set = {}, AddTags, RemoveTags, Maintenance, Delete } = asked;
  const others = Object.keys(set).length > 0 || AddTags !== undefined || RemoveTags !== undefined;
  const faults: FieldFault[] = [];
  if (Delete && (others || Maintenance !== undefined))
    faults.push({ field: 'Delete', message: 'must be sent alone: what is deleted is not changed' });
  if (!Delete && !others && Maintenance === undefined)
    faults.push({ field: 'Set', message: 'or AddTags, RemoveTags, Maintenance or Delete must be sent' });
  const pairs = [
    ['Frequency', 'FrequencySeconds'],
    ['Retries', 'Attempts'],
  ] as const;
  for (const [first, second] of pairs)
    if (set[first] !== undefined && set[second] !== undefined)
      faults.push({ field: `Set.${second}`, message: `must not be sent together with ${first}` });
  const twice = AddTags?.find((tag) => RemoveTags?.includes(tag));
  if (twice !== undefined) faults.push({ field: 'RemoveTags', message: 'must not name a tag of AddTags' });
  return faults;
}
