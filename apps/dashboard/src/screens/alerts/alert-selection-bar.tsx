import { useState } from 'preact/hooks';
import { FormRefusal } from '../../parts/form-end.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { acknowledge, snooze } from '../../store/alert-changes.ts';
import { formTexts } from '../../texts/form-texts.ts';
import { SnoozeDialog } from './alert-dialogs.tsx';
import css from './alerts.module.css';
import { alertsTexts as say } from './alerts-texts.ts';

/** Acknowledges or snoozes all selected alerts with the same note. */
export function AlertSelectionBar({
  ids,
  onDone,
}: {
  readonly ids: readonly string[];
  readonly onDone: () => void;
}) {
  const [note, setNote] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const run = (work: Promise<unknown>) => {
    work.then(onDone, (error: unknown) => setProblem(problemWords(error)));
  };
  return (
    <form
      class={css['many']}
      onSubmit={(event) => {
        event.preventDefault();
        run(acknowledge(ids, note.trim()));
      }}
    >
      <label>
        <span class="label">{say.note}</span>
        <input
          type="text"
          value={note}
          maxLength={500}
          onInput={({ currentTarget }) => setNote(currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <button type="submit" class="button main">
          {say.acknowledgeMany(ids.length)}
        </button>
        <button type="button" class="button" onClick={() => run(snooze(ids, '01:00'))}>
          {say.snooze}
        </button>
        <button type="button" class="button" onClick={() => setAsking(true)}>
          {say.snoozeUntil}
        </button>
        <button type="button" class="button" onClick={onDone}>
          {formTexts.clear}
        </button>
      </div>
      <FormRefusal words={problem} />
      {isAsking && (
        <SnoozeDialog
          name={say.selected(ids.length)}
          snooze={(duration) => snooze(ids, duration)}
          onClose={() => setAsking(false)}
          onDone={onDone}
        />
      )}
    </form>
  );
}
