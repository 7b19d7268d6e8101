import { milliseconds } from '../model/format.ts';
import type { TracedPath } from '../model/traced-path.ts';
import { checkTexts } from '../texts/check-texts.ts';
import css from './hop-picture.module.css';

const say = checkTexts.path;
const barPx = 44;

/** A traced path: each hop is a node, with its round trip as a bar above it. On a phone it runs downwards. */
export function HopPicture({ path, from }: { readonly path: TracedPath; readonly from: string }) {
  const slowest = Math.max(0.1, ...path.Hops.map(({ RTTMs }) => RTTMs ?? 0));
  return (
    <div class="scroll">
      <ol class={css['hops']}>
        <li class={css['hop']}>
          <span class={css['bar']} />
          <span class={css['node']} />
          <b>{from}</b>
        </li>
        {path.Hops.map(({ TTL, Address, RTTMs }, at) => {
          const isEnd = path.Reached && at === path.Hops.length - 1;
          const height = ((RTTMs ?? 0) / slowest) * (barPx - 14);
          return (
            <li key={TTL} class={css['hop']}>
              <span class={css['bar']}>
                <span class={css['time']}>{RTTMs === null ? '' : milliseconds(RTTMs)}</span>
                <svg class={css['column']} width="14" height={barPx - 14} aria-hidden="true">
                  {RTTMs !== null && (
                    <rect
                      class={css['fill']}
                      width="14"
                      y={barPx - 14 - Math.max(2, height)}
                      height={Math.max(2, height)}
                    />
                  )}
                </svg>
              </span>
              <span class={Address === null ? css['silent'] : css['node']} />
              {Address === null ? <span class="mute">{say.silent}</span> : isEnd ? <b>{Address}</b> : Address}
            </li>
          );
        })}
        {!path.Reached && (
          <li class={css['hop']}>
            <span class={css['bar']} />
            <span class={css['lost']} />
            <span class="bad">{say.ends}</span>
          </li>
        )}
      </ol>
    </div>
  );
}
