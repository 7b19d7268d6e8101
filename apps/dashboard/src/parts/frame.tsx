import type { ComponentChildren } from 'preact';
import { briefly, count } from '../model/format.ts';
import { progress } from '../store/account-state.ts';
import { address } from '../store/address.ts';
import { alertCounts } from '../store/alerts.ts';
import { now } from '../store/clock.ts';
import { heardAt, isSilent, link } from '../store/stream.ts';
import { texts } from '../texts/index.ts';
import { AccountMenu } from './account-menu.tsx';
import { Banner } from './banner.tsx';
import css from './frame.module.css';

const screens = ['overview', 'devices', 'alerts', 'locations', 'schedules', 'reports'] as const;
/** The address of a screen of the navigation. */
export const pathOf = (screen: (typeof screens)[number]) => (screen === 'overview' ? '/' : `/${screen}`);

function Links() {
  const { path } = address.value;
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
              {texts.screens[screen]}
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

function Live() {
  const { value: heard } = heardAt;
  const old = isSilent();
  const isLost = link.value.lostAt !== undefined;
  const text =
    heard === 0
      ? texts.connecting
      : old || isLost
        ? texts.stale(briefly((now.value - heard) / 1_000))
        : texts.live;
  return (
    <span class={`${css['live']} ${old || isLost || heard === 0 ? css['stale'] : ''}`} role="status">
      <i />
      {text}
    </span>
  );
}

/** The head of every screen with its navigation, and the screen below. */
export function Frame({
  onSearch,
  children,
}: {
  readonly onSearch: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={isSilent() ? css['old'] : undefined}>
      <a class={css['skip']} href="#content">
        {texts.skip}
      </a>
      <header class={css['top']}>
        <span class={css['brand']}>{texts.name}</span>
        <nav class={css['nav']} aria-label={texts.main}>
          <Links />
        </nav>
        <button type="button" class={css['find']} onClick={onSearch}>
          {texts.search} <kbd>Ctrl K</kbd>
        </button>
        <Live />
        <AccountMenu />
      </header>
      <Banner />
      <main id="content" tabIndex={-1} class={css['content']}>
        {children}
      </main>
    </div>
  );
}
