import { useEffect } from 'preact/hooks';
import { count, inFull } from '../../model/format.ts';
import { gridOf, type Tile, wallOf } from '../../model/wall.ts';
import { Mark } from '../../parts/mark.tsx';
import { chosenTheme, isTheme } from '../../parts/theme.ts';
import { counts, locations, progress, rows } from '../../store/account-state.ts';
import { address } from '../../store/address.ts';
import { alerts } from '../../store/alerts.ts';
import { now, zone } from '../../store/clock.ts';
import { signedIn } from '../../store/credential.ts';
import { headline } from '../../store/overview-facts.ts';
import { heardAt, isSilent } from '../../store/stream.ts';
import { isOutdated } from '../../store/version.ts';
import { texts } from '../../texts/index.ts';
import { troubleWords } from '../../texts/overview.ts';
import { wallTexts as say } from '../../texts/wall.ts';
import { TileBox } from './tile.tsx';
import css from './wall.module.css';

const fewTiles = 6;
const reloadKey = 'vantage-wall-reload';
/** A wall reloads itself for a new version at most this often. */
const reloadApartMs = 10 * 60_000;

const timeIn = (zoneName: string, ms: number, timeStyle: 'short' | 'medium') =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zoneName, timeStyle }).format(ms);

/** Nobody presses "Reload" at a wall. */
function useOwnReload(): void {
  useEffect(() => {
    const last = Number(sessionStorage.getItem(reloadKey) ?? 0);
    if (!isOutdated.value || Date.now() - last < reloadApartMs) return;
    sessionStorage.setItem(reloadKey, String(Date.now()));
    location.reload();
  }, [isOutdated.value]);
}

/** The theme that the address names: a wall has no controls. */
function useTheme(): void {
  const theme = address.value.query.get('theme');
  useEffect(() => {
    if (isTheme(theme)) chosenTheme.value = theme;
  }, [theme]);
}

function Sentence({ isRead }: { readonly isRead: boolean }) {
  if (!isRead) return <h1>{say.loading}</h1>;
  const shown = headline.value;
  switch (shown.kind) {
    case 'blind':
      return <h1>{say.blind}</h1>;
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

function Foot() {
  const seconds = (now.value - heardAt.value) / 1_000;
  return (
    <footer class={css['foot']}>
      {(['Up', 'Retrying', 'Partial', 'Unknown', 'Maint', 'Paused'] as const)
        .filter((state) => counts.value[state] > 0)
        .map((state) => (
          <span key={state}>
            <Mark name={state} />
            <b>{count(counts.value[state])}</b> {texts.states[state]}
          </span>
        ))}
      <span class={css['age']}>{heardAt.value === 0 ? say.waiting : say.age(inFull(seconds, 2))}</span>
    </footer>
  );
}

/** Why the wall is not new; undefined: it is. */
function staleWords(): string | undefined {
  const from = () => timeIn(zone.value, heardAt.value, 'medium');
  if (signedIn.value === 'ended') return say.ended(from());
  if (isSilent()) return say.silent(inFull((now.value - heardAt.value) / 1_000, 2), from());
  return typeof progress.value === 'object' ? say.unreachable : undefined;
}

function Tiles({ tiles }: { readonly tiles: readonly Tile[] }) {
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
        <TileBox key={tile.key} tile={tile} />
      ))}
    </div>
  );
}

/** Alone, because it is drawn each second. */
function Clock() {
  return <p class={css['clock']}>{timeIn(zone.value, now.value, 'short')}</p>;
}

/** A screen for a wall: the number and the causes, who has them, and how old all of it is. Nothing to press. */
export function Wall() {
  useTheme();
  useOwnReload();
  const isRead = progress.value === 'ready';
  const { tiles } = wallOf({ rows: rows.value, alerts: alerts.value, locations: locations.value });
  const stale = staleWords();
  return (
    <main class={`${css['wall']} ${stale === undefined ? '' : css['stale']}`}>
      <header class={css['head']}>
        <Sentence isRead={isRead} />
        <Clock />
      </header>
      {stale !== undefined && (
        <p class={css['staleWords']} role="status">
          {stale}
        </p>
      )}
      {isRead && tiles.length > 0 ? (
        <Tiles tiles={tiles} />
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
              {say.watched(rows.value.length, locations.value.length)}
            </p>
          )}
        </div>
      )}
      <Foot />
    </main>
  );
}
