import { useState } from 'preact/hooks';
import { MenuButton } from '../../parts/menu-button.tsx';
import { go } from '../../store/address.ts';
import { removeView, type SavedView, savedViews, saveView } from '../../store/list-views.ts';
import css from './devices.module.css';
import { devicesTexts as say } from './devices-texts.ts';
import { addressWith, columns, text } from './list-state.ts';

const queryOf = (to: string) => to.replace(/^[^?]*\??/, '');
const addressOf = ({ query }: SavedView) => (query === '' ? '/devices' : `/devices?${query}`);

function SaveForm() {
  const [name, setName] = useState('');
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const query = queryOf(addressWith(text.value, columns.value.join(',')));
    saveView({ name: name.trim(), query });
    setName('');
  };
  return (
    <form onSubmit={save} class={css['saveView']}>
      <label>
        <span class="label">{say.views.name}</span>
        <input
          type="text"
          value={name}
          maxLength={60}
          autocomplete="off"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <button type="submit" class="button main" disabled={name.trim() === ''}>
        {say.views.save}
      </button>
    </form>
  );
}

/** The saved views: names for addresses. */
export function ViewMenu() {
  return (
    <MenuButton words={say.views.title}>
      {(close) => (
        <>
          {savedViews.value.length === 0 && <p class="hint">{say.views.none}</p>}
          <ul class={css['choices']}>
            {savedViews.value.map((view) => (
              <li key={view.name} class={css['view']}>
                <a
                  href={addressOf(view)}
                  onClick={(event) => {
                    event.preventDefault();
                    close();
                    go(addressOf(view));
                  }}
                >
                  <bdi>{view.name}</bdi>
                </a>
                <button
                  type="button"
                  class="button"
                  aria-label={say.views.removeNamed(view.name)}
                  onClick={() => removeView(view.name)}
                >
                  {say.views.remove}
                </button>
              </li>
            ))}
          </ul>
          <SaveForm />
          <p class="hint">{say.views.hint}</p>
        </>
      )}
    </MenuButton>
  );
}
