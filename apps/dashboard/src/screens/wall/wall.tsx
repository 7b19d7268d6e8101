import { useEffect } from 'preact/hooks';
import { count, inFull } from '../../model/format.ts';
import { gridOf, type Tile, wallOf } from '../../model/wall-tiles.ts';
import { Icon } from '../../parts/icon.tsx';
import { chosenTheme, isTheme } from '../../parts/theme.ts';
import { counts, locations, progress, rows } from '../../store/account-state.ts';
import { address } from '../../store/address.ts';
import { alerts } from '../../store/alerts.ts';
import { now, zone } from '../../store/clock.ts';
import { signedIn } from '../../store/credential.ts';
import { headline } from '../../store/overview-facts.ts';
import { heardAt, isSilent } from '../../store/stream.ts';
import { isOutdated } from '../../store/version.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { troubleWords } from '../../texts/trouble-words.ts';
import css from './wall.module.css';
import { wallTexts as say } from './wall-texts.ts';
import { WallTile } from './wall-tile.tsx';

const fewTiles = 6;
const reloadKey = 'vantage-wall-reload';
/** The minimum time between two reloads for a new version. */
const reloadApartMs = 10 * 60_000;

const timeIn = (zoneName: string, ms: number, timeStyle: 'short' | 'medium') =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zoneName, timeStyle }).format(ms);

/** Reloads the page for a new version: a wall has no buttons. */
function useAutoReload(): void {
  useEffect(() => {
    const last = Number(sessionStorage.getItem(reloadKey) ?? 0);
    if (!isOutdated.value || Date.now() - last < reloadApartMs) return;
    sessionStorage.setItem(reloadKey, String(Date.now()));
    location.reload();
  }, [isOutdated.value]);
}

/** Sets the theme from the address: a wall has no controls. */
function useTheme(): void {
  const theme = address.value.query.get('theme');
  useEffect(() => {
    if (isTheme(theme)) chosenTheme.value = theme;
  }, [theme]);
}

function WallSentence({ isRead }: { readonly isRead: boolean }) {
  if (!isRead) return <h1>{say.loading}</h1>;
  const shown = headline.value;
  switch (shown.kind) {
    case 'unobserved':
      return <h1>{say.unobserved}</h1>;
    case 'down':
      return (
        <h1>
          <span class={css['down']}>{say.down(shown.devices)}</span>, {say.causes(shown.causes)}
        </h1>
      );
    case 'troubled':
      return <h1>{say.nothingDown}</h1>;
    case 'quiet':
      return <h1>{rows.value.length === 0 ? say.none : say.quiet}</h1>;
  }
}

function WallFoot() {
  const seconds = (now.value - heardAt.value) / 1_000;
  return (
    <footer class={css['foot']}>
      {(['Up', 'Retrying', 'Partial', 'Unknown', 'Maint', 'Paused'] as const)
        .filter((state) => counts.value[state] > 0)
        .map((state) => (
          <span key={state}>
            <Icon name={state} />
            <b>{count(counts.value[state])}</b> {deviceWords.states[state]}
          </span>
        ))}
      <span class={css['age']}>{heardAt.value === 0 ? say.waiting : say.age(inFull(seconds, 2))}</span>
    </footer>
  );
}

/** Why the wall is out of date; undefined: it is up to date. */
function staleWords(): string | undefined {
  const from = () => timeIn(zone.value, heardAt.value, 'medium');
  if (signedIn.value === 'ended') return say.ended(from());
  if (isSilent()) return say.silent(inFull((now.value - heardAt.value) / 1_000, 2), from());
  return typeof progress.value === 'object' ? say.unreachable : undefined;
}

function TileGrid({ tiles }: { readonly tiles: readonly Tile[] }) {
  const { columns, isFirstWide } = gridOf(tiles.length);
  const looks = [
    'tiles',
    `columns${columns}`,
    tiles.length > fewTiles ? 'many' : '',
    tiles.length <= 2 ? 'oneRow' : '',
    isFirstWide ? 'firstWide' : '',
  ];
  return (
    <div class={looks.map((look) => css[look] ?? '').join(' ')}>
      {tiles.map((tile) => (
        <WallTile key={tile.key} tile={tile} />
      ))}
    </div>
  );
}

/** A component of its own, because it is rendered every second. */
function WallClock() {
  return <p class={css['clock']}>{timeIn(zone.value, now.value, 'short')}</p>;
}

/** A screen without controls for a wall: the number of Down devices, the causes, and the age of the facts. */
export function WallScreen() {
  useTheme();
  useAutoReload();
  const isRead = progress.value === 'ready';
  const { tiles } = wallOf({ rows: rows.value, alerts: alerts.value, locations: locations.value });
  const stale = staleWords();
  return (
    <main class={`${css['wall']} ${stale === undefined ? '' : css['stale']}`}>
      <header class={css['head']}>
        <WallSentence isRead={isRead} />
        <WallClock />
      </header>
      {stale !== undefined && (
        <p class={css['staleWords']} role="status">
          {stale}
        </p>
      )}
      {isRead && tiles.length > 0 ? (
        <TileGrid tiles={tiles} />
      ) : (
        <div class={css['calm']}>
          {isRead && rows.value.length > 0 && (
            <p>
              {headline.value.kind === 'troubled' && (
                <>
                  {troubleWords(headline.value.troubles)}
                  <br />
                </>
              )}
              {say.checked(rows.value.length, locations.value.length)}
            </p>
          )}
        </div>
      )}
      <WallFoot />
    </main>
  );
}
