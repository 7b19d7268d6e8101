import { useEffect } from 'preact/hooks';
import { shownPath } from '../store/address.ts';
import { mayAdminister, session, signOut } from '../store/credential.ts';
import { frameTexts } from '../texts/frame-texts.ts';
import css from './account-menu.module.css';
import { chooseTheme, chosenTheme, type Theme } from './theme.ts';
import { usePanel } from './use-panel.ts';

/** A screen that is reached from the account menu and from the palette. */
interface MenuScreen {
  readonly path: string;
  readonly words: string;
}

export function menuScreens(isAdmin: boolean): readonly MenuScreen[] {
  const ofAdmins = [
    { path: '/people', words: frameTexts.menu.people },
    { path: '/audit', words: frameTexts.menu.audit },
    ...(session.value?.tags === null
      ? [{ path: '/locations/quarantine', words: frameTexts.menu.quarantine }]
      : []),
  ];
  const ofAccount = [
    { path: '/secrets', words: frameTexts.menu.secrets },
    { path: '/hooks', words: frameTexts.menu.hooks },
  ];
  return [
    { path: '/outages', words: frameTexts.menu.outages },
    { path: '/events', words: frameTexts.menu.events },
    { path: '/account', words: frameTexts.menu.account },
    ...(session.value?.hasPassword === true ? [{ path: '/password', words: frameTexts.menu.password }] : []),
    { path: '/status-pages', words: frameTexts.menu.pages },
    { path: '/tags', words: frameTexts.menu.tags },
    ...(session.value?.tags === null ? ofAccount : []),
    ...(isAdmin ? ofAdmins : []),
  ];
}

function MenuLinks() {
  const { value: path } = shownPath;
  return (
    <nav class={css['links']} aria-label={frameTexts.account}>
      {menuScreens(mayAdminister.value).map((screen) => (
        <a
          key={screen.path}
          href={screen.path}
          aria-current={path === screen.path || path.startsWith(`${screen.path}/`) ? 'page' : undefined}
        >
          {screen.words}
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
      <span class="label">{frameTexts.theme.label}</span>
      <select value={chosenTheme.value} onChange={choose}>
        {(['system', 'light', 'dark'] as const).map((theme) => (
          <option key={theme} value={theme}>
            {frameTexts.theme[theme]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The name of the session, the screens that are not in the navigation, the appearance, and the sign-out. */
export function AccountMenu() {
  const { isOpen, setOpen, root, button, press } = usePanel();
  const { value: path } = shownPath;
  useEffect(() => setOpen(false), [path]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu from anywhere inside
    <div ref={root} class={css['account']} onKeyDown={press}>
      <button
        ref={button}
        type="button"
        class={css['who']}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span aria-hidden="true">{session.value?.level ?? '–'}</span>
        <span class="hidden">{frameTexts.account}</span>
      </button>
      {isOpen && (
        <div class={css['menu']}>
          <p class={css['as']}>
            <span class="label">{frameTexts.signedInAs}</span>
            <bdi>{session.value?.name}</bdi>
          </p>
          <MenuLinks />
          <Appearance />
          <button type="button" class="button" onClick={() => void signOut()}>
            {frameTexts.signOut}
          </button>
        </div>
      )}
    </div>
  );
}
