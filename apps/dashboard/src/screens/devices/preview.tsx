import { useState } from 'preact/hooks';
import { type Act, type Plan, planOf } from '../../model/many.ts';
import { Dialog } from '../../parts/dialog.tsx';
import type { DeviceRow } from '../../store/account-state.ts';
import { texts } from '../../texts/index.ts';
import css from './devices.module.css';

const say = texts.devices;

function TagField({ tag, onTag }: { readonly tag: string; readonly onTag: (tag: string) => void }) {
  return (
    <label>
      <span class="label">{say.tagField}</span>
      <input
        type="text"
        value={tag}
        autofocus
        maxLength={128}
        onInput={({ currentTarget }) => onTag(currentTarget.value)}
      />
    </label>
  );
}

/** Says what will happen, with counts and exceptions; the number is in the button. */
export function Preview({
  act,
  rows,
  filter,
  onRun,
  onClose,
}: {
  readonly act: Act;
  readonly rows: readonly DeviceRow[];
  /** The text of the filter where all that match are chosen. */
  readonly filter: string | undefined;
  readonly onRun: (plan: Plan) => void;
  readonly onClose: () => void;
}) {
  const [tag, setTag] = useState('');
  const plan = planOf(act, rows, tag.trim());
  const count = plan.operations.length;
  const isReady = count > 0 && (act !== 'tag' || plan.tag !== '');
  const facts: readonly (readonly [string, string])[] = [
    [say.preview.devices, say.preview.of(rows.length, filter)],
    [say.preview.among, say.preview.states(plan.down, plan.inMaintenance)],
    [say.preview.unchanged, plan.unchanged === 0 ? '' : say.preview.same[act](plan.unchanged)],
  ];
  return (
    <Dialog title={say.act[act](count)} onClose={onClose}>
      {act === 'tag' && <TagField tag={tag} onTag={setTag} />}
      <p>{say.ask[act](count)}</p>
      <dl class={css['preview']}>
        {facts
          .filter(([, words]) => words !== '')
          .map(([name, words]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{words}</dd>
            </div>
          ))}
      </dl>
      <div class={`buttons ${css['choice']}`}>
        <button
          type="button"
          class={act === 'remove' ? 'button bad' : 'button main'}
          disabled={!isReady}
          onClick={() => onRun(plan)}
        >
          {say.act[act](count)}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {say.cancel}
        </button>
        {plan.undo.length > 0 && <span class="hint">{say.undoHint}</span>}
      </div>
    </Dialog>
  );
}
