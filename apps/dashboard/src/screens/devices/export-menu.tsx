import { useState } from 'preact/hooks';
import { csvTable } from '../../model/csv.ts';
import { MenuButton } from '../../parts/menu-button.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { saveFile } from '../../parts/save-file.ts';
import { readSettings } from '../../store/device-settings.ts';
import { devicesTexts as say } from './devices-texts.ts';
import { applyFileOf, csvTableOf } from './export-list.ts';
import { chosenRows, found, selected } from './list-state.ts';

const csvType = 'text/csv';

/** Saves the list: a table of the shown columns, or a file for `apply`. Of the selection, if there is one. */
export function ExportMenu() {
  const [problem, setProblem] = useState<unknown>();
  const rows = () => (selected.value.size > 0 ? chosenRows.value : found.value);
  const save = (name: string, type: string, text: () => string, close: () => void) => {
    setProblem(undefined);
    readSettings().then(
      () => {
        saveFile(text(), name, type);
        close();
      },
      (error: unknown) => setProblem(error),
    );
  };
  return (
    <MenuButton words={say.exports.title}>
      {(close) => (
        <>
          <p class="hint">{say.exports.what(rows().length, selected.value.size > 0)}</p>
          <div class="buttons">
            <button
              type="button"
              class="button"
              onClick={() => save('devices.csv', csvType, () => csvTable(csvTableOf(rows())), close)}
            >
              {say.exports.csv}
            </button>
            <button
              type="button"
              class="button"
              onClick={() => save('devices.json', 'application/json', () => applyFileOf(rows()), close)}
            >
              {say.exports.apply}
            </button>
          </div>
          <p class="hint">{say.exports.hint}</p>
          {problem !== undefined && (
            <p class="hint bad" role="alert">
              {problemWords(problem)}
            </p>
          )}
        </>
      )}
    </MenuButton>
  );
}
