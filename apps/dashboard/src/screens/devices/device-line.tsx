import { StateWord } from '../../parts/mark.tsx';
import { Since } from '../../parts/time.tsx';
import { type DeviceRow, devices } from '../../store/facts.ts';
import { texts } from '../../texts.ts';
import css from './devices.module.css';

const say = texts.devices;

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
        {[columns.status, columns.device, columns.method, columns.result, columns.tag].map((name) => (
          <span key={name} role="columnheader">
            {name}
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
    <span role="cell" class={css['device']}>
      <a href={`/devices/${row.id}`} title={row.name}>
        <bdi>{row.name}</bdi>
      </a>
      <span class={css['small']}>{master === undefined ? other : say.behind(master.shortName)}</span>
    </span>
  );
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
      <span role="cell" class={css['state']}>
        <StateWord state={row.state}>
          <Since at={row.sinceMs} />
        </StateWord>
      </span>
      <NameCell row={row} />
      <span role="cell" class={css['method']}>
        {row.method}
      </span>
      <span role="cell" class={css['result']} title={row.lastResult ?? undefined}>
        {row.lastResult}
      </span>
      <span role="cell" class={css['tags']}>
        {row.tags[0] !== undefined && <span class="tag">{row.tags[0]}</span>}
      </span>
    </div>
    // biome-ignore-end lint/a11y/useFocusableInteractive: the link in it has the focus
    // biome-ignore-end lint/a11y/useSemanticElements: see RowList
  );
}
