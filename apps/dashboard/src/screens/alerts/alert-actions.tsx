import { useRef, useState } from 'preact/hooks';
import { predicateOf, subjectOf } from '../../parts/alert-subject.ts';
import { useKeys } from '../../parts/keys.ts';
import { problemWords } from '../../parts/problem-words.ts';
import { acknowledge, reopen, snooze } from '../../store/alert-changes.ts';
import type { Alert } from '../../store/alerts.ts';
import { mayOperate, session } from '../../store/credential.ts';
import { alertTexts } from '../../texts/alert-texts.ts';
import { HandOverDialog, SnoozeDialog } from './alert-dialogs.tsx';
import css from './alerts.module.css';
import { alertsTexts as say } from './alerts-texts.ts';

/** The actions on an alert that is not closed. */
export function AlertActions({ alert, again }: { readonly alert: Alert; readonly again: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const [opened, setOpened] = useState<'snooze' | 'hand'>();
  const run = (work: Promise<unknown>) => {
    setProblem(undefined);
    work.then(again, (error: unknown) => setProblem(problemWords(error)));
  };
  const { alert_id: id, State: state, Acknowledged: acknowledged } = alert;
  const noteOf = () => field.current?.value.trim() ?? '';
  const acknowledgeIt = () => run(acknowledge([id], noteOf()));
  const snoozeIt = () => run(snooze([id], '01:00'));
  const isOff = state === 'Closed' || !mayOperate.value;
  const isTaken = state === 'Acknowledged';
  useKeys(isOff ? {} : { e: acknowledgeIt, ...(isTaken ? {} : { s: snoozeIt }) });
  if (isOff) return null;
  const name = `${subjectOf(alert)} ${predicateOf(alert)}`.trim();
  const isMine = acknowledged?.By === session.value?.name;
  return (
    <form
      class={`${css['acts']} ${state === 'Open' ? '' : css['taken']}`}
      onSubmit={(event) => {
        event.preventDefault();
        acknowledgeIt();
      }}
    >
      <label>
        <span class="label">{say.note}</span>
        <input
          ref={field}
          type="text"
          maxLength={500}
          placeholder={say.notePlaceholder}
          autocomplete="off"
          defaultValue={isMine ? (acknowledged?.Note ?? '') : ''}
        />
      </label>
      <div class="buttons">
        <button type="submit" class={`button ${isTaken ? '' : 'main'}`}>
          {isTaken ? (isMine ? say.saveNote : say.takeOver) : alertTexts.acknowledge} <kbd>e</kbd>
        </button>
        {state !== 'Open' && (
          <button type="button" class="button" onClick={() => run(reopen(id))}>
            {isTaken ? say.reopen : say.endSnooze}
          </button>
        )}
        {!isTaken && (
          <>
            <button type="button" class="button" onClick={snoozeIt}>
              {say.snooze} <kbd>s</kbd>
            </button>
            <button type="button" class="button" onClick={() => setOpened('snooze')}>
              {say.snoozeUntil}
            </button>
          </>
        )}
        <button type="button" class="button" onClick={() => setOpened('hand')}>
          {say.handOver}
        </button>
      </div>
      {problem !== undefined && (
        <p class="hint bad" role="alert">
          {problem}
        </p>
      )}
      {opened === 'snooze' && (
        <SnoozeDialog
          name={name}
          snooze={(duration) => snooze([id], duration)}
          onClose={() => setOpened(undefined)}
          onDone={again}
        />
      )}
      {opened === 'hand' && (
        <HandOverDialog
          id={id}
          name={name}
          note={noteOf()}
          onClose={() => setOpened(undefined)}
          onDone={again}
        />
      )}
    </form>
  );
}
