import type { ComponentChildren } from 'preact';
import { briefly, clockTime } from '../../model/format.ts';
import type { Tile } from '../../model/wall-tiles.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { now, today } from '../../store/clock.ts';
import { whyOf } from '../../store/overview-facts.ts';
import { heardAt, isSilent } from '../../store/stream.ts';
import { deviceWords } from '../../texts/device-words.ts';
import css from './wall.module.css';
import { wallTexts as say } from './wall-texts.ts';

/** The time since a moment. It stops while the stream is silent. */
const age = (sinceMs: number) => briefly(((isSilent() ? heardAt.value : now.value) - sinceMs) / 1_000);

function TileFrame({
  icon,
  name,
  look,
  children,
}: {
  readonly icon: IconName;
  readonly name: string;
  readonly look: 'isDown' | 'isUnknown' | 'isMaint' | 'isAcknowledged';
  readonly children?: ComponentChildren;
}) {
  const word = icon === 'Other' ? undefined : deviceWords.states[icon as keyof typeof deviceWords.states];
  return (
    <section class={`${css['tile']} ${css[look]}`}>
      <Icon name={icon} {...(word === undefined ? {} : { word })} />
      <h2>
        <bdi>{name}</bdi>
      </h2>
      {children}
    </section>
  );
}

/** The person who acknowledged the alert. */
function TileOwner({ by }: { readonly by: string | undefined }) {
  return by === undefined ? (
    <p class={css['notAcknowledged']}>{say.notAcknowledged}</p>
  ) : (
    <p>
      <bdi>{say.acknowledgedBy(by)}</bdi>
    </p>
  );
}

function DownTile({ tile }: { readonly tile: Tile & { kind: 'down' } }) {
  const result = whyOf(tile.key);
  const where = tile.from === undefined ? '' : ` · ${say.from(tile.from)}`;
  return (
    <TileFrame icon="Down" name={tile.name} look={tile.by === undefined ? 'isDown' : 'isAcknowledged'}>
      <p>
        {say.downFor(age(tile.sinceMs))}
        {where}
      </p>
      <TileOwner by={tile.by} />
      {result !== undefined && <p>{result}</p>}
      {tile.behind > 0 && <p>{say.behind(tile.behind, tile.tags.join(', '))}</p>}
    </TileFrame>
  );
}

/** A tile of the wall: the trouble, its age, and who acknowledged it. */
export function WallTile({ tile }: { readonly tile: Tile }) {
  switch (tile.kind) {
    case 'down':
      return <DownTile tile={tile} />;
    case 'offline':
      return (
        <TileFrame icon="Offline" name={tile.name} look="isUnknown">
          <p>{say.notObserved(tile.sinceMs === undefined ? undefined : age(tile.sinceMs))}</p>
          {tile.unknown > 0 && <p>{say.unknown(tile.unknown)}</p>}
          <TileOwner by={tile.by} />
        </TileFrame>
      );
    case 'partial':
      return (
        <TileFrame icon="Partial" name={tile.name} look={tile.by === undefined ? 'isDown' : 'isAcknowledged'}>
          <p>{say.partial(tile.from, age(tile.sinceMs))}</p>
          <TileOwner by={tile.by} />
        </TileFrame>
      );
    case 'unknown':
      return (
        <TileFrame icon="Unknown" name={say.lost(tile.count)} look="isUnknown">
          {tile.names.map((name) => (
            <p key={name}>
              <bdi>{name}</bdi>
            </p>
          ))}
        </TileFrame>
      );
    case 'maintenance':
      return (
        <TileFrame icon="Maint" name={say.maintenance(tile.count)} look="isMaint">
          {tile.windows.map(({ name, until }) => (
            <p key={name}>
              <bdi>{until === null ? name : say.until(name, clockTime(until, today.value).slice(0, -3))}</bdi>
            </p>
          ))}
        </TileFrame>
      );
    case 'rest':
      return <TileFrame icon="Other" name={say.more(tile.count)} look="isAcknowledged" />;
  }
}
