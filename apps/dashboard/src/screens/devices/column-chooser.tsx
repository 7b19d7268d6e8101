import { columnNames, fixedColumns } from '../../model/list-columns.ts';
import { MenuButton } from '../../parts/menu-button.tsx';
import css from './devices.module.css';
import { devicesTexts as say } from './devices-texts.ts';
import { columns, resetColumns, shownColumns, toggleShown } from './list-state.ts';

/** Chooses the columns. This browser remembers them, and the address has them. */
export function ColumnChooser() {
  const hidden = columns.value.length - shownColumns.value.length;
  return (
    <div class={css['chooser']}>
      <MenuButton words={say.chooseColumns}>
        {() => (
          <>
            <ul class={css['choices']}>
              {columnNames.map((name) => (
                <li key={name}>
                  <label>
                    <input
                      type="checkbox"
                      checked={columns.value.includes(name)}
                      disabled={fixedColumns.includes(name)}
                      onChange={() => toggleShown(name)}
                    />{' '}
                    {say.columns[name]}
                  </label>
                </li>
              ))}
            </ul>
            {hidden > 0 && <p class="hint">{say.hiddenColumns(hidden)}</p>}
            <button type="button" class="button" onClick={resetColumns}>
              {say.defaultColumns}
            </button>
          </>
        )}
      </MenuButton>
    </div>
  );
}
