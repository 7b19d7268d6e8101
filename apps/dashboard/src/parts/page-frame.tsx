import type { ComponentChildren } from 'preact';
import { briefly, count } from '../model/format.ts';
import { progress } from '../store/account-state.ts';
import { shownPath } from '../store/address.ts';
import { alertCounts } from '../store/alerts.ts';
import { now } from '../store/clock.ts';
import { heardAt, isSilent, link } from '../store/stream.ts';
import { frameTexts } from '../texts/frame-texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { Banner } from './banner.tsx';
import css from './page-frame.module.css';

const screens = ['overview', 'devices', 'alerts', 'locations', 'schedules', 'reports'] as const;
/** The address of a screen in the navigation. */
export const pathOf = (screen: (typeof screens)[number]) => (screen === 'overview' ? '/' : `/${screen}`);

function NavigationLinks() {
  const { value: path } = shownPath;
  const { open } = alertCounts.value;
  return (
    <>
      {screens.map((screen) => {
        const target = pathOf(screen);
        const isHere =
          screen === 'overview' ? path === '/' : path === target || path.startsWith(`${target}/`);
        return (
          <span key={screen} class={css['item']}>
            <a href={target} aria-current={isHere ? 'page' : undefined}>
              {frameTexts.screens[screen]}
            </a>
            {screen === 'alerts' && (
              <span class={css['badge']} hidden={open === 0 || progress.value !== 'ready'}>
                {count(open)}
              </span>
            )}
          </span>
        );
      })}
    </>
  );
}

/** Whether the event stream is live, or how long it has been silent. */
function ConnectionState() {
  const { value: heard } = heardAt;
  const old = isSilent();
  const isLost = link.value.lostAt !== undefined;
  const text =
    heard === 0
      ? frameTexts.connecting
      : old || isLost
        ? frameTexts.stale(briefly((now.value - heard) / 1_000))
        : frameTexts.live;
  return (
    <span class={`${css['live']} ${old || isLost || heard === 0 ? css['stale'] : ''}`} role="status">
      <i />
      {text}
    </span>
  );
}

/** The head with the navigation, and the screen below it. */
export function PageFrame({
  onSearch,
  children,
}: {
  readonly onSearch: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={isSilent() ? css['old'] : undefined}>
      <a class={css['skip']} href="#content">
        {frameTexts.skip}
      </a>
      <header class={css['top']}>
        <span class={css['brand']}>{frameTexts.name}</span>
        <nav class={css['nav']} aria-label={frameTexts.main}>
          <NavigationLinks />
        </nav>
        <button type="button" class={css['find']} onClick={onSearch}>
          {frameTexts.search} <kbd>Ctrl K</kbd>
        </button>
        <ConnectionState />
        <AccountMenu />
      </header>
      <Banner />
      <main id="content" tabIndex={-1} class={css['content']}>
        {children}
      </main>
    </div>
  );
}
