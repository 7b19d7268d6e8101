import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { lettersAreKeys, setLetters } from '../../parts/keys.ts';
import { texts } from '../../texts/index.ts';
import css from './palette.module.css';

const say = texts.keys;

/** All keys, and the switch that turns single letters off. */
export function KeyList({ onClose }: { readonly onClose: () => void }) {
  const [isOn, setOn] = useState(lettersAreKeys());
  const change = () => {
    setLetters(!isOn);
    setOn(!isOn);
  };
  return (
    <Dialog title={say.title} onClose={onClose} isWide>
      <div class={css['groups']}>
        {say.groups.map(({ title, keys }) => (
          <section key={title} class={css['group']}>
            <h3>{title}</h3>
            <dl class={css['keys']}>
              {keys.map(([key, what]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label class={css['switch']}>
        <input type="checkbox" checked={isOn} onChange={change} /> {say.switch}
      </label>
      <button type="button" class="button" onClick={onClose}>
        {say.close}
      </button>
    </Dialog>
  );
}
