import { useRef, useState } from 'preact/hooks';
import { startMaintenance } from '../store/device-changes.ts';
import { deviceWords } from '../texts/device-words.ts';
import { Dialog } from './dialog.tsx';
import { CancelButton, FormRefusal, SubmitButton } from './form-end.tsx';
import css from './maintenance-dialog.module.css';
import { problemWords } from './problem-words.ts';

const say = deviceWords.maintenanceDialog;

/** Asks how long the maintenance of a device lasts, and why. */
export function MaintenanceDialog({
  id,
  name,
  onClose,
  onDone = () => {},
}: {
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}) {
  const duration = useRef<HTMLSelectElement>(null);
  const reason = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      const [length, why] = [duration.current?.value ?? '01:00', reason.current?.value ?? ''];
      await startMaintenance({ id, name }, length, why.trim());
      onDone();
      onClose();
    } catch (error) {
      setProblem(problemWords(error));
    }
  };
  return (
    <Dialog title={say.title(name)} onClose={onClose}>
      <form class={css['form']} onSubmit={(event) => void submit(event)}>
        <label>
          <span class="label">{say.duration}</span>
          <select ref={duration} defaultValue="01:00">
            {say.durations.map(([value, words]) => (
              <option key={value} value={value} selected={value === '01:00'}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="label">{say.reason}</span>
          <input ref={reason} type="text" maxLength={200} autocomplete="off" />
        </label>
        <p class="hint">{say.hint}</p>
        <FormRefusal words={problem} />
        <div class="buttons">
          <SubmitButton isOff={false}>{say.start}</SubmitButton>
          <CancelButton onClose={onClose} />
        </div>
      </form>
    </Dialog>
  );
}
