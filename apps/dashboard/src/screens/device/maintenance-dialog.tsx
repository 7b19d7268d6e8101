import { useRef, useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { startMaintenance } from '../../store/act.ts';
import { texts } from '../../texts/index.ts';
import css from './maintenance-dialog.module.css';

const say = texts.device;

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
      setProblem(wordsOf(error));
    }
  };
  return (
    <Dialog title={`${say.maintAsk}: ${name}`} onClose={onClose}>
      <form class={css['form']} onSubmit={(event) => void submit(event)}>
        <label>
          <span class="label">{say.maintFor}</span>
          <select ref={duration} defaultValue="01:00">
            {say.hours.map(([value, words]) => (
              <option key={value} value={value} selected={value === '01:00'}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="label">{say.maintReason}</span>
          <input ref={reason} type="text" maxLength={200} autocomplete="off" />
        </label>
        <p class="hint">{say.maintHint}</p>
        {problem !== undefined && (
          <p class="hint bad" role="alert">
            {problem}
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="button main">
            {say.begin}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {say.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
