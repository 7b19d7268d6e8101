import { useEffect, useRef, useState } from 'preact/hooks';
import { address } from '../store/address.ts';
import { mayAdminister, session, signOut } from '../store/credential.ts';
import { texts } from '../texts/index.ts';
import css from './account-menu.module.css';
import { chooseTheme, chosenTheme, type Theme } from './theme.ts';

/** A screen that is reached from the menu of the account and from the palette. */
interface Place {
  readonly path: string;
  readonly words: string;
}

/** The screens that the menu leads to. */
export function placesOf(isAdmin: boolean): readonly Place[] {
  const ofAdmins = [
    { path: '/people', words: texts.places.people },
    { path: '/audit', words: texts.places.audit },
  ];
  return [
    { path: '/account', words: texts.places.account },
    { path: '/status-pages', words: texts.places.pages },
    ...(isAdmin ? ofAdmins : []),
  ];
}

function Places() {
  const { path } = address.value;
  const places = placesOf(mayAdminister.value);
  return (
    <nav class={css['places']} aria-label={texts.account}>
      {places.map((place) => (
        <a
          key={place.path}
          href={place.path}
          aria-current={path === place.path || path.startsWith(`${place.path}/`) ? 'page' : undefined}
        >
          {place.words}
        </a>
      ))}
    </nav>
  );
}

function Appearance() {
  const choose = (event: Event) => {
    if (event.currentTarget instanceof HTMLSelectElement) chooseTheme(event.currentTarget.value as Theme);
  };
  return (
    <label>
      <span class="label">{texts.theme.label}</span>
      <select value={chosenTheme.value} onChange={choose}>
        {(['system', 'light', 'dark'] as const).map((theme) => (
          <option key={theme} value={theme}>
            {texts.theme[theme]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Who is signed in, the screens beside the navigation, the appearance, and the way out. */
export function AccountMenu() {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const { path } = address.value;
  useEffect(() => setOpen(false), [path]);
  useEffect(() => {
    if (!isOpen) return;
    const outside = ({ target }: Event) => {
      if (target instanceof Node && place.current?.contains(target) !== true) setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('focusin', outside);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
    };
  }, [isOpen]);
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return;
    event.preventDefault();
    setOpen(false);
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu from anywhere inside
    <div ref={place} class={css['account']} onKeyDown={press}>
      <button
        ref={button}
        type="button"
        class={css['who']}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span aria-hidden="true">{session.value?.level ?? '–'}</span>
        <span class="hidden">{texts.account}</span>
      </button>
      {isOpen && (
        <div class={css['menu']}>
          <p class={css['as']}>
            <span class="label">{texts.signedInAs}</span>
            <bdi>{session.value?.name}</bdi>
          </p>
          <Places />
          <Appearance />
          <button type="button" class="button" onClick={() => void signOut()}>
            {texts.signOut}
          </button>
        </div>
      )}
    </div>
  );
}
