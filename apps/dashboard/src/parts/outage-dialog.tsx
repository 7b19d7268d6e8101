import { useRef, useState } from 'preact/hooks';
import { noteOutage } from '../store/report-source.ts';
import { outageTexts as say } from '../texts/outage-texts.ts';
import { Dialog } from './dialog.tsx';
import { CancelButton, FormRefusal, SubmitButton } from './form-end.tsx';
import css from './outage-dialog.module.css';
import { problemWords } from './problem-words.ts';

/** Changes the note on an outage, and whether it counts. */
export function OutageDialog({
  outage,
  onClose,
  onDone,
}: {
  readonly outage: {
    readonly outage_id: string;
    readonly ShortName: string;
    readonly FullName: string | null;
    readonly Note: string | null;
    readonly Excluded: boolean;
  };
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const note = useRef<HTMLInputElement>(null);
  const excluded = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      const text = note.current?.value.trim() ?? '';
      const body = { Note: text === '' ? null : text, Excluded: excluded.current?.checked === true };
      await noteOutage(outage.outage_id, body);
      onDone();
      onClose();
    } catch (error) {
      setProblem(problemWords(error));
    }
  };
  return (
    <Dialog title={say.editOf(outage.FullName ?? outage.ShortName)} onClose={onClose}>
      <form class={css['form']} onSubmit={(event) => void submit(event)}>
        <label>
          <span class="label">{say.noteField}</span>
          <input ref={note} type="text" maxLength={500} autocomplete="off" defaultValue={outage.Note ?? ''} />
        </label>
        <label>
          <input ref={excluded} type="checkbox" defaultChecked={outage.Excluded} /> {say.excludeField}
        </label>
        <FormRefusal words={problem} />
        <div class="buttons">
          <SubmitButton isOff={false}>{say.save}</SubmitButton>
          <CancelButton onClose={onClose} />
        </div>
      </form>
    </Dialog>
  );
}
