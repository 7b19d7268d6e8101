import type { ComponentChildren } from 'preact';
import { milliseconds } from '../model/format.ts';
import { besideGood, type Hop, type Way } from '../model/ways.ts';
import { texts } from '../texts/index.ts';
import css from './way-table.module.css';

const say = texts.device.way;

function HopCells({ hop }: { readonly hop: Hop | undefined }) {
  return (
    <>
      <td>{hop === undefined ? '' : (hop.Address ?? <span class="mute">{say.silent}</span>)}</td>
      <td class={css['time']}>{hop?.RTTMs == null ? '' : milliseconds(hop.RTTMs)}</td>
    </>
  );
}

/** The hops of a traced way with their round trips, beside those of the last good way. */
export function WayTable({
  way,
  good,
}: {
  readonly way: Way;
  readonly good: { readonly way: Way; readonly when: ComponentChildren } | undefined;
}) {
  const lines = besideGood(way.Hops, good?.way.Hops ?? []);
  return (
    <>
      <table class={css['way']}>
        <thead>
          <tr>
            <th scope="col">{say.hop}</th>
            <th scope="col" colSpan={2}>
              {way.Reached ? say.reached : say.notReached}
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
