import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type FoundByUrl, needsSettings, unknownValues, valuesOf } from '../../model/device-filter.ts';
import { sortRows } from '../../model/device-order.ts';
import { closedValuesOf, parseFilter, type SortKey, withField } from '../../model/filter-text.ts';
import {
  type ColumnName,
  columnNames,
  defaultColumns,
  fittingColumns,
  parseColumns,
  ruleOf,
  toggleColumn,
} from '../../model/list-columns.ts';
import { createNarrowedSearch } from '../../model/narrowed-search.ts';
import { naturally } from '../../model/natural-order.ts';
import { tagLevels } from '../../model/tag-levels.ts';
import { type DeviceListRow, devices, early, locations, progress, rows } from '../../store/account-state.ts';
import { address, go } from '../../store/address.ts';
import { deviceSettings, filterableSettings, scheduleNames } from '../../store/device-settings.ts';
import { rememberColumns, rememberedColumns } from '../../store/list-views.ts';
import { accountSignal } from '../../store/present-sign-in.ts';
import { searchDevices } from '../../store/read-states.ts';
import { createSteadyRows } from './steady-rows.ts';

/** The text of the filter is part of the address, so that a list can be sent as a link. */
export const text = computed(() => address.value.query.get('q') ?? '');
export const filter = computed(() => parseFilter(text.value));
// These change only with their own part of the address, so a letter of the search neither sorts nor renders all again.
const sortKey = computed(() => filter.value.sort.by);
const isReverse = computed(() => filter.value.sort.isReverse);
const sort = computed(() => ({ by: sortKey.value, isReverse: isReverse.value }));
const columnsText = computed(() => address.value.query.get('columns'));
const byUrl = accountSignal<FoundByUrl | undefined>(undefined);

/** The width of the window, which limits the columns. */
const windowWidth = signal(innerWidth);
addEventListener('resize', () => {
  windowWidth.value = innerWidth;
});
const sideWidth = 236;
const padding = 48;
/** Up to this width a row has two lines, for which the columns are fixed. */
const phoneWidth = 820;
const phoneColumns: readonly ColumnName[] = ['status', 'device', 'day', 'last'];

/** The chosen columns: those of the address, else those that this browser remembers, else the default ones. */
export const columns = computed<readonly ColumnName[]>(
  () =>
    parseColumns(columnsText.value) ??
    parseColumns(rememberedColumns.value) ??
    defaultColumns(windowWidth.value),
);
/** The columns that fit into the window. */
export const shownColumns = computed(() =>
  windowWidth.value <= phoneWidth
    ? phoneColumns
    : fittingColumns(columns.value, windowWidth.value - sideWidth - padding),
);
/** Whether the filter, the order or a shown column needs the settings of all devices. */
export const areSettingsNeeded = computed(
  () =>
    needsSettings(filter.value) ||
    columnNames.some((name) => {
      const { reads, sort: key } = ruleOf(name);
      return reads === 'settings' && (shownColumns.value.includes(name) || key === sort.value.by);
    }),
);
/** The settings while they are needed: reading them again must not sort a list that does not show them. */
const settings = computed(() => (areSettingsNeeded.value ? filterableSettings.value : undefined));
/** Whether the list cannot be told yet, because it depends on settings that are being read. */
export const isWaitingForSettings = computed(
  () => needsSettings(filter.value) && settings.value === undefined,
);

/** All devices; while they are being read, those that are Down. */
const listed = computed<readonly DeviceListRow[]>(() => early.value?.rows ?? rows.value);
// Sorted once, not at each letter of a search.
const ordered = computed(() => sortRows(listed.value, sort.value, settings.value));
const search = createNarrowedSearch<DeviceListRow>();
export const found = computed(() =>
  search.find(ordered.value, filter.value, { byUrl: byUrl.value, settings: settings.value }),
);

export const selected = accountSignal<ReadonlySet<string>>(new Set());
export const chosenRows = computed(() => listed.value.filter(({ id }) => selected.value.has(id)));
export const allChosen = computed(
  () => found.value.length > 0 && found.value.every(({ id }) => selected.value.has(id)),
);
/** The number of selected devices that no longer match the filter, because their state changed. */
export const chosenOutside = computed(() => {
  if (selected.value.size === 0) return 0;
  const matching = new Set(found.value.map(({ id }) => id));
  return chosenRows.value.filter(({ id }) => !matching.has(id)).length;
});
/** When this changes, the list is sorted at once. */
const question = computed(() => ({
  text: text.value,
  read: progress.value,
  isEarly: early.value !== undefined,
  byUrl: byUrl.value,
  hasSettings: settings.value !== undefined,
}));
export const steady = createSteadyRows(listed, found, question);
/** The row of the keys. */
export const active = accountSignal('');

/** The longest word of the search, which the API looks for in URLs: lists do not contain URLs. */
const urlWord = computed(() => filter.value.words.toSorted((a, b) => b.length - a.length)[0] ?? '');
const minLength = 3;
const searchDelayMs = 250;

/** Finds devices by their URL, a moment after the last letter. */
export function useSearchByUrl(): void {
  const word = urlWord.value;
  useEffect(() => {
    if (word.length < minLength) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      searchDevices(word).then(
        (ids) => {
          if (isCurrent) byUrl.value = { word, ids };
        },
        () => {}, // The search by name works without it.
      );
    }, searchDelayMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [word]);
}

/** The address of the list with a filter and the present columns. */
export function addressWith(next: string, shown: string | null = address.value.query.get('columns')): string {
  const query = [
    ...(next === '' ? [] : [`q=${encodeURIComponent(next)}`]),
    ...(shown === null ? [] : [`columns=${shown}`]),
  ].join('&');
  return query === '' ? '/devices' : `/devices?${query}`;
}

/** `replace: false`: Back returns to the present filter. */
export function setFilter(next: string, { replace = true } = {}): void {
  active.value = '';
  go(addressWith(next), { replace });
}

export function setTag(tag: string | undefined): void {
  setFilter(withField(text.value, 'tag', tag), { replace: false });
}
/** The tag that the tree shows as chosen. */
export const chosenTag = computed(() => valuesOf(filter.value, 'tag')[0]);

export function toggleShown(name: ColumnName): void {
  const next = toggleColumn(columns.value, name).join(',');
  rememberColumns(next);
  go(addressWith(text.value, next), { replace: true });
}

/** Returns to the default columns. */
export function resetColumns(): void {
  rememberColumns(undefined);
  go(addressWith(text.value, null), { replace: true });
}

/** Sorts by a column; pressed again, in the other direction; the third time in the default order. */
export function sortBy(key: SortKey): void {
  const { by, isReverse } = sort.value;
  const isDefault = key === 'worst';
  const next = by !== key ? key : isReverse ? undefined : `-${key}`;
  setFilter(withField(text.value, 'sort', isDefault && next === key ? undefined : next));
}

export function toggle(id: string): void {
  const next = new Set(selected.value);
  if (!next.delete(id)) next.add(id);
  selected.value = next;
}

export function selectAll(): void {
  selected.value = new Set(found.value.map(({ id }) => id));
}

/** Deselects devices that the filter hides, because actions apply to all selected ones. */
export function deselectHidden(): void {
  if (selected.value.size === 0) return;
  const shown = new Set(found.value.map(({ id }) => id));
  const remaining = [...selected.value].filter((id) => shown.has(id));
  if (remaining.length !== selected.value.size) selected.value = new Set(remaining);
}

export function clearSelection(): void {
  selected.value = new Set();
}

const distinct = (names: Iterable<string>) => [...naturally(new Set(names))];
const tagNames = computed(() => distinct(tagLevels(rows.value)));
const methodNames = computed(() => distinct(rows.value.map(({ method }) => method)));
const masterNames = computed(() =>
  distinct(
    [...(deviceSettings.value?.values() ?? [])].flatMap(({ device_master_id: id }) =>
      id === null ? [] : [devices.value.get(id)?.shortName ?? id],
    ),
  ),
);
const sourceNames = computed(() =>
  distinct([...(deviceSettings.value?.values() ?? [])].flatMap(({ Source }) => Source ?? [])),
);
const frequencies = computed(() =>
  distinct([...(filterableSettings.value?.values() ?? [])].map(({ frequency }) => frequency)),
);

/** The values of a field that the devices have. */
export function knownValues(field: string): readonly string[] {
  switch (field) {
    case 'tag':
      return tagNames.value;
    case 'method':
      return methodNames.value;
    case 'location':
      return distinct(locations.value.map(({ Name }) => Name));
    case 'master':
      return masterNames.value;
    case 'schedule':
      return distinct(scheduleNames.value.values());
    case 'source':
      return sourceNames.value;
    case 'frequency':
      return frequencies.value;
    default:
      return closedValuesOf(field);
  }
}

/** Values of the filter that no device has. */
export const strangers = computed(() =>
  progress.value === 'ready' ? unknownValues(filter.value, knownValues) : [],
);
