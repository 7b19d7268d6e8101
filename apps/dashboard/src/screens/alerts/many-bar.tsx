import { useState } from 'preact/hooks';
import { wordsOf } from '../../parts/notice.tsx';
import { acknowledge, snooze } from '../../store/act.ts';
import { texts } from '../../texts/index.ts';
import css from './alerts.module.css';

const say = texts.alerts;

/** Acknowledges or snoozes all selected alerts with one note. */
export function ManyBar({ ids, onDone }: { readonly ids: readonly string[]; readonly onDone: () => void }) {
  const [note, setNote] = useState('');
  const [problem, setProblem] = useState<string>();
  const run = (work: Promise<unknown>) => {
    work.then(onDone, (error: unknown) => setProblem(wordsOf(error)));
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
        <button type="button" class="button" onClick={onDone}>
          {texts.devices.clear}
        </button>
      </div>
      {problem !== undefined && (
        <p class="hint bad" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
