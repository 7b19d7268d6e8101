import { exactTime, milliseconds } from '../../model/format.ts';
import { DayBar } from '../../parts/day-bar.tsx';
import { StateWord } from '../../parts/mark.tsx';
import { Since } from '../../parts/time.tsx';
import { type DeviceRow, devices } from '../../store/account-state.ts';
import { texts } from '../../texts/index.ts';
import css from './devices.module.css';

const say = texts.devices;
const shownColumns = ['status', 'device', 'method', 'day', 'last', 'location', 'tag'] as const;

/** The names of the columns. */
export function LineHead({
  count,
  isChosen,
  onChoose,
}: {
  readonly count: number;
  readonly isChosen: boolean;
  readonly onChoose: (() => void) | undefined;
}) {
  const { columns } = say;
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: see RowList
    // biome-ignore-start lint/a11y/useFocusableInteractive: heads of columns are no controls
    <div role="rowgroup">
      <div class={`${css['line']} ${css['columns']}`} role="row" aria-rowindex={1}>
        <span role="columnheader">
          {onChoose !== undefined && (
            <input type="checkbox" aria-label={say.selectAll(count)} checked={isChosen} onChange={onChoose} />
          )}
        </span>
        {shownColumns.map((name) => (
          <span key={name} role="columnheader" class={css[`${name}Cell`]}>
            {columns[name]}
          </span>
        ))}
      </div>
    </div>
    // biome-ignore-end lint/a11y/useFocusableInteractive: heads of columns are no controls
    // biome-ignore-end lint/a11y/useSemanticElements: see RowList
  );
}

function NameCell({ row }: { readonly row: DeviceRow }) {
  const master = row.downBecause === null ? undefined : devices.value.get(row.downBecause);
  const other = row.shortName === row.name ? '' : row.shortName;
  return (
    // biome-ignore lint/a11y/useSemanticElements: see RowList
    <span role="cell" class={css['deviceCell']}>
      <a href={`/devices/${row.id}`} title={row.name}>
        <bdi>{row.name}</bdi>
      </a>
      <span class={css['small']}>{master === undefined ? other : say.behind(master.shortName)}</span>
    </span>
  );
}

/** The time of the last check; that of a failed one says nothing. */
function LastTime({ row: { lastCheck } }: { readonly row: DeviceRow }) {
  const isKnown = lastCheck?.isGood === true && lastCheck.ms > 0;
  return (
    <span title={lastCheck === null ? undefined : exactTime(lastCheck.at)}>
      {milliseconds(isKnown ? lastCheck.ms : null)}
    </span>
  );
}

function placesOf({ locations: [first = '', ...others] }: DeviceRow): string {
  return others.length === 0 ? first : `${first} +${others.length}`;
}

/** A device in one line. */
export function DeviceLine({
  row,
  at,
  isChosen,
  onChoose,
}: {
  readonly row: DeviceRow;
  readonly at: number;
  readonly isChosen: boolean;
  readonly onChoose: (() => void) | undefined;
}) {
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: see RowList
    // biome-ignore-start lint/a11y/useFocusableInteractive: the link in it has the focus
    <div
      class={`${css['line']} ${isChosen ? css['chosen'] : ''}`}
      role="row"
      aria-rowindex={at + 2}
      data-device={row.id}
    >
      <span role="cell">
        {onChoose !== undefined && (
          <input type="checkbox" aria-label={say.select(row.name)} checked={isChosen} onChange={onChoose} />
        )}
      </span>
      <span role="cell" class={css['statusCell']}>
        <StateWord state={row.state}>
          <Since at={row.sinceMs} />
        </StateWord>
      </span>
      <NameCell row={row} />
      <span role="cell" class={css['methodCell']}>
        {row.method}
      </span>
      <span role="cell" class={css['dayCell']}>
        <DayBar row={row} />
      </span>
      <span role="cell" class={css['lastCell']}>
        <LastTime row={row} />
      </span>
      <span role="cell" class={css['locationCell']} title={row.locations.join(', ')}>
        <bdi>{placesOf(row)}</bdi>
      </span>
      <span role="cell" class={css['tagCell']} title={row.tags.join(', ')}>
        {row.tags[0] !== undefined && <span class="tag">{row.tags[0]}</span>}
        {row.tags.length > 1 && <span class={css['small']}>+{row.tags.length - 1}</span>}
      </span>
    </div>
    // biome-ignore-end lint/a11y/useFocusableInteractive: the link in it has the focus
    // biome-ignore-end lint/a11y/useSemanticElements: see RowList
  );
}
