import { useState } from 'preact/hooks';
import { type CsvList, readCsvOf } from '../store/read-csv.ts';
import { listTexts as say } from '../texts/list-texts.ts';
import { problemWords } from './problem-words.ts';
import { saveFile } from './save-file.ts';

/** Downloads all rows of a list that match a filter as CSV. */
export function CsvButton({
  list,
  name = list,
  query,
}: {
  /** The path of the list in the API. */
  readonly list: CsvList;
  /** The name of the file. */
  readonly name?: string;
  readonly query: Readonly<Record<string, string>>;
}) {
  const [outcome, setOutcome] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const file = await readCsvOf(list, query, (rows) => setOutcome(say.csvRunning(rows)));
      saveFile(file.text, `${name}.csv`);
      setOutcome(file.isCut ? say.csvCut(file.rows) : say.csvDone(file.rows));
    } catch (error) {
      setOutcome('');
      setProblem(problemWords(error));
    }
    setBusy(false);
  };
  return (
    <span class="buttons">
      {problem !== undefined && (
        <span class="bad" role="alert">
          {problem}
        </span>
      )}
      {/* It stays in the document, so that its first text is read aloud. */}
      <span class={outcome === '' ? 'hidden' : 'mute'} role="status">
        {outcome}
      </span>
      <button type="button" class="button" disabled={isBusy} onClick={() => void download()}>
        {say.csv}
      </button>
    </span>
  );
}
