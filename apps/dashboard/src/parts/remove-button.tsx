import { useState } from 'preact/hooks';
import { formTexts } from '../texts/form-texts.ts';
import { Dialog } from './dialog.tsx';
import { problemWords } from './problem-words.ts';

/** A button that asks before it deletes. A refusal is shown in the dialog. */
export function RemoveButton({
  words,
  ask,
  remove,
  onRemoved,
}: {
  /** The label of the button, and the title of the dialog. */
  readonly words: string;
  readonly ask: string;
  readonly remove: () => Promise<void>;
  readonly onRemoved: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<string>();
  const run = () => {
    remove().then(
      () => {
        setAsking(false);
        onRemoved();
      },
      (error: unknown) => setProblem(problemWords(error)),
    );
  };
  const open = () => {
    setProblem(undefined);
    setAsking(true);
  };
  return (
    <>
      <button type="button" class="button bad" onClick={open}>
        {words}
      </button>
      {isAsking && (
        <Dialog title={words} onClose={() => setAsking(false)}>
          <p>{ask}</p>
          {problem !== undefined && (
            <p class="hint bad" role="alert">
              {problem}
            </p>
          )}
          <div class="buttons section">
            <button type="button" class="button bad" onClick={run}>
              {words}
            </button>
            <button type="button" class="button" onClick={() => setAsking(false)}>
              {formTexts.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
