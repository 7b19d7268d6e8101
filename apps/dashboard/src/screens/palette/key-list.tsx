import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { lettersAreKeys, setLetters } from '../../parts/keys.ts';
import { address } from '../../store/address.ts';
import { mayOperate, mayWrite } from '../../store/credential.ts';
import { keyListTexts } from './key-list-texts.ts';
import css from './palette.module.css';

const say = keyListTexts;

/** The keys that work here and that the session may use. */
const shownGroups = (path: string) =>
  say.groups
    .filter(({ on }) => on.test(path))
    .map((group) => ({
      ...group,
      keys: group.keys.filter(
        ([, , needs]) => needs === undefined || (needs === 'write' ? mayWrite.value : mayOperate.value),
      ),
    }))
    .filter(({ keys }) => keys.length > 0);

/** The keyboard shortcuts that work on this screen, and the switch that turns those with single letters off. */
export function KeyList({ onClose }: { readonly onClose: () => void }) {
  const [isOn, setOn] = useState(lettersAreKeys());
  const change = () => {
    setLetters(!isOn);
    setOn(!isOn);
  };
  return (
    <Dialog title={say.title} onClose={onClose} isWide>
      <div class={css['groups']}>
        {shownGroups(address.value.path).map(({ title, keys }) => (
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
