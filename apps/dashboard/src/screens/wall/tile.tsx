import type { ComponentChildren } from 'preact';
import { briefly, clockTime } from '../../model/format.ts';
import type { Tile } from '../../model/wall.ts';
import { Mark, type MarkName } from '../../parts/mark.tsx';
import { now, today } from '../../store/clock.ts';
import { whyOf } from '../../store/overview-facts.ts';
import { heardAt, isSilent } from '../../store/stream.ts';
import { texts } from '../../texts/index.ts';
import { wallTexts as say } from '../../texts/wall.ts';
import css from './wall.module.css';

/** How long something lasts, as far as it is known. */
const age = (sinceMs: number) => briefly(((isSilent() ? heardAt.value : now.value) - sinceMs) / 1_000);

function Box({
  mark,
  name,
  look,
  children,
}: {
  readonly mark: MarkName;
  readonly name: string;
  readonly look: 'isDown' | 'isUnknown' | 'isMaint' | 'isTaken';
  readonly children?: ComponentChildren;
}) {
  const word = mark === 'Other' ? undefined : texts.states[mark as keyof typeof texts.states];
  return (
    <section class={`${css['tile']} ${css[look]}`}>
      <Mark name={mark} {...(word === undefined ? {} : { word })} />
      <h2>
        <bdi>{name}</bdi>
      </h2>
      {children}
    </section>
  );
}

/** Who has a problem. */
function Owner({ by }: { readonly by: string | undefined }) {
  return by === undefined ? (
    <p class={css['nobody']}>{say.nobody}</p>
  ) : (
    <p>
      <bdi>{say.has(by)}</bdi>
    </p>
  );
}

function Down({ tile }: { readonly tile: Tile & { kind: 'down' } }) {
  const result = whyOf(tile.key);
  const where = tile.from === undefined ? '' : ` · ${say.from(tile.from)}`;
  return (
    <Box mark="Down" name={tile.name} look={tile.by === undefined ? 'isDown' : 'isTaken'}>
      <p>
        {say.downFor(age(tile.sinceMs))}
        {where}
      </p>
      <Owner by={tile.by} />
      {result !== undefined && <p>{result}</p>}
      {tile.behind > 0 && <p>{say.behind(tile.behind, tile.tags.join(', '))}</p>}
    </Box>
  );
}

/** A tile of the wall: what is wrong, since when, and who has it. */
export function TileBox({ tile }: { readonly tile: Tile }) {
  switch (tile.kind) {
    case 'down':
      return <Down tile={tile} />;
    case 'offline':
      return (
        <Box mark="Offline" name={tile.name} look="isUnknown">
          <p>{say.notObserved(tile.sinceMs === undefined ? undefined : age(tile.sinceMs))}</p>
          {tile.unknown > 0 && <p>{say.unknown(tile.unknown)}</p>}
          <Owner by={tile.by} />
        </Box>
      );
    case 'partial':
      return (
        <Box mark="Partial" name={tile.name} look={tile.by === undefined ? 'isDown' : 'isTaken'}>
          <p>{say.partial(tile.from, age(tile.sinceMs))}</p>
          <Owner by={tile.by} />
        </Box>
      );
    case 'unknown':
      return (
        <Box mark="Unknown" name={say.lost(tile.count)} look="isUnknown">
          {tile.names.map((name) => (
            <p key={name}>
              <bdi>{name}</bdi>
            </p>
          ))}
        </Box>
      );
    case 'maintenance':
      return (
        <Box mark="Maint" name={say.maintenance(tile.count)} look="isMaint">
          {tile.windows.map(({ name, until }) => (
            <p key={name}>
              <bdi>{until === null ? name : say.until(name, clockTime(until, today.value).slice(0, -3))}</bdi>
            </p>
          ))}
        </Box>
      );
    case 'rest':
      return <Box mark="Other" name={say.more(tile.count)} look="isTaken" />;
  }
}
