import { useRef } from 'preact/hooks';
import { type ColumnName, ruleOf } from '../../model/list-columns.ts';
import { useRoving } from '../../parts/roving.ts';
import type { DeviceListRow } from '../../store/account-state.ts';
import { cells } from './device-cells.tsx';
import css from './devices.module.css';
import { devicesTexts as say } from './devices-texts.ts';
import { filter, shownColumns, sortBy } from './list-state.ts';

function Head({ name }: { readonly name: ColumnName }) {
  const { sort } = ruleOf(name);
  const { by, isReverse } = filter.value.sort;
  const isSorted = sort === by;
  const order = isReverse ? ('descending' as const) : ('ascending' as const);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out rows, see RowList
    // biome-ignore lint/a11y/useFocusableInteractive: the button in it has the focus
    <span role="columnheader" class={css[`${name}Cell`]} aria-sort={isSorted ? order : undefined}>
      {sort === undefined ? (
        say.columns[name]
      ) : (
        <button
          type="button"
          class={isSorted ? css['sorted'] : undefined}
          title={say.sortBy(say.columns[name])}
          onClick={() => sortBy(sort)}
        >
          {say.columns[name]}
          {isSorted && <span aria-hidden="true">{isReverse ? ' ↑' : ' ↓'}</span>}
        </button>
      )}
    </span>
  );
}

/** The heads of the columns, which sort the list. One Tab stop. */
export function LineHead({
  count,
  isChosen,
  onChoose,
}: {
  readonly count: number;
  readonly isChosen: boolean;
  readonly onChoose: (() => void) | undefined;
}) {
  const head = useRef<HTMLDivElement>(null);
  useRoving(head, 'row');
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: a table cannot leave out rows, see RowList
    // biome-ignore-start lint/a11y/useFocusableInteractive: the buttons in it have the focus
    <div role="rowgroup">
      <div ref={head} class={`${css['line']} ${css['columns']}`} role="row" aria-rowindex={1}>
        <span role="columnheader">
          {onChoose !== undefined && (
            <input type="checkbox" aria-label={say.selectAll(count)} checked={isChosen} onChange={onChoose} />
          )}
        </span>
        {shownColumns.value.map((name) => (
          <Head key={name} name={name} />
        ))}
      </div>
    </div>
    // biome-ignore-end lint/a11y/useFocusableInteractive: the buttons in it have the focus
    // biome-ignore-end lint/a11y/useSemanticElements: a table cannot leave out rows, see RowList
  );
}

/** A device as a line of the list. */
export function DeviceLine({
  row,
  at,
  isChosen,
  onChoose,
}: {
  readonly row: DeviceListRow;
  readonly at: number;
  readonly isChosen: boolean;
  /** The same function for all rows, so that a row that stays as it is is not rendered again. */
  readonly onChoose: ((id: string) => void) | undefined;
}) {
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: a table cannot leave out rows, see RowList
    // biome-ignore-start lint/a11y/useFocusableInteractive: the link in it has the focus
    <div
      class={`${css['line']} ${isChosen ? css['chosen'] : ''}`}
      role="row"
      aria-rowindex={at + 2}
      data-device={row.id}
    >
      <span role="cell">
        {onChoose !== undefined && (
          <input
            type="checkbox"
            aria-label={say.select(row.name)}
            checked={isChosen}
            onChange={() => onChoose(row.id)}
          />
        )}
      </span>
      {shownColumns.value.map((name) => {
        const Cell = cells[name];
        return (
          <span key={name} role="cell" class={css[`${name}Cell`]}>
            <Cell row={row} />
          </span>
        );
      })}
    </div>
    // biome-ignore-end lint/a11y/useFocusableInteractive: the link in it has the focus
    // biome-ignore-end lint/a11y/useSemanticElements: a table cannot leave out rows, see RowList
  );
}
