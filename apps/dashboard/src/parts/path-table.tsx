import type { ComponentChildren } from 'preact';
import { milliseconds } from '../model/format.ts';
import { compareHops, type TracedHop, type TracedPath } from '../model/traced-path.ts';
import { checkTexts } from '../texts/check-texts.ts';
import css from './path-table.module.css';

const say = checkTexts.path;

function HopCells({ hop }: { readonly hop: TracedHop | undefined }) {
  return (
    <>
      <td>{hop === undefined ? '' : (hop.Address ?? <span class="mute">{say.silent}</span>)}</td>
      <td class={css['time']}>{hop?.RTTMs == null ? '' : milliseconds(hop.RTTMs)}</td>
    </>
  );
}

/** The hops of a traced path with their round trips, next to those of the last good path. */
export function PathTable({
  path,
  good,
}: {
  readonly path: TracedPath;
  readonly good: { readonly path: TracedPath; readonly when: ComponentChildren } | undefined;
}) {
  const lines = compareHops(path.Hops, good?.path.Hops ?? []);
  return (
    <>
      <table class={css['path']}>
        <thead>
          <tr>
            <th scope="col">{say.hop}</th>
            <th scope="col" colSpan={2}>
              {path.Reached ? say.reached : say.notReached}
            </th>
            {good !== undefined && (
              <th scope="col" colSpan={2}>
                {say.lastGood} {good.when}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ ttl, hop, good: other, isEnd }) => (
            <tr key={ttl} class={isEnd ? css['end'] : undefined}>
              <th scope="row">{ttl}</th>
              {isEnd ? (
                <td colSpan={2}>
                  <strong>{say.ends}</strong>
                </td>
              ) : (
                <HopCells hop={hop} />
              )}
              {good !== undefined && <HopCells hop={other} />}
            </tr>
          ))}
        </tbody>
      </table>
      {good === undefined && <p class="hint">{say.noGood}</p>}
    </>
  );
}
