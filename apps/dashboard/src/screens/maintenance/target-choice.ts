import { fits } from '../../model/device-filter.ts';
import { type ParsedFilter, parseFilter } from '../../model/filter-text.ts';
import { type DeviceListRow, rows } from '../../store/account-state.ts';
import { filterableSettings } from '../../store/device-settings.ts';
import type { MaintenanceTarget } from '../../store/maintenance-changes.ts';

/** How the devices of a window are chosen. */
export const targetKinds = ['tag', 'filter', 'devices'] as const;
type TargetKind = (typeof targetKinds)[number];

/** The choice of a person so far. Only the part of `kind` counts. */
export interface TargetChoice {
  readonly kind: TargetKind;
  /** A tag, or a branch: `berlin/*`; '': none yet. */
  readonly tag: string;
  /** As in the list of devices. */
  readonly filter: string;
  readonly ids: readonly string[];
}

/** Nothing is chosen at first: a hasty click would silence the first devices of the list. */
export const emptyChoice: TargetChoice = { kind: 'tag', tag: '', filter: '', ids: [] };

const isBranch = (tag: string) => tag.endsWith('/*');

/** The filter of a choice; undefined: there is none yet. */
export function filterOfChoice({ kind, filter }: TargetChoice): ParsedFilter | undefined {
  if (kind !== 'filter') return undefined;
  const parsed = parseFilter(filter);
  // An order or an unknown word alone would choose all devices.
  return parsed.clauses.length === 0 || parsed.unknown.length > 0 ? undefined : parsed;
}

const hasTag = (tag: string) => {
  const branch = tag.slice(0, -2);
  return (name: string) => (isBranch(tag) ? name === branch || name.startsWith(`${branch}/`) : name === tag);
};

/** The devices of a choice. A branch includes the tag that it begins with, as in the list of devices. */
export function devicesOfChoice(choice: TargetChoice): readonly DeviceListRow[] {
  const { kind, tag, ids } = choice;
  if (kind === 'tag') return rows.value.filter(({ tags }) => tags.some(hasTag(tag)));
  if (kind === 'devices') {
    const chosen = new Set(ids);
    return rows.value.filter(({ id }) => chosen.has(id));
  }
  const filter = filterOfChoice(choice);
  if (filter === undefined) return [];
  return rows.value.filter((row) => fits(filter, row, { settings: filterableSettings.value }));
}

/** The target of a choice; undefined: it has no devices. A tag is one request, whatever the page knows of it. */
export function targetOf(
  { kind, tag }: TargetChoice,
  devices: readonly DeviceListRow[],
): MaintenanceTarget | undefined {
  if (devices.length === 0) return undefined;
  return kind === 'tag' && !isBranch(tag)
    ? { kind: 'tag', tag }
    : { kind: 'devices', ids: devices.map(({ id }) => id) };
}
