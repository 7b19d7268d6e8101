import { useState } from 'preact/hooks';
import { bucketAt } from '../../model/axis-buckets.ts';
import { milliseconds, percent } from '../../model/format.ts';
import { zone } from '../../store/clock.ts';
import css from './axis.module.css';
import type { AxisFrame } from './axis-frame.ts';
import { axisTexts as say } from './axis-texts.ts';
import { momentWords } from './axis-words.ts';
import type { ReadAxis } from './read-axis.ts';

/** The rows of the axis as a table: the same facts for screen readers and the keyboard. */
export function BucketTable({
  data,
  location,
  frame,
}: {
  readonly data: ReadAxis | undefined;
  readonly location: string | undefined;
  readonly frame: AxisFrame;
}) {
  const [isOpen, setOpen] = useState(false);
  const own = data?.locations.get(location ?? '') ?? [];
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="hint">{say.table}</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys
        <section class={css['table']} tabIndex={0} aria-label={say.table}>
          <table>
            <thead>
              <tr>
                <th scope="col">{say.tableHead.time}</th>
                <th scope="col">{say.tableHead.median}</th>
                <th scope="col">{say.tableHead.p95}</th>
                <th scope="col">{say.tableHead.loss}</th>
              </tr>
            </thead>
            <tbody>
              {own.toReversed().map((bucket) => {
                const loss = bucketAt(data?.loss ?? [], bucket.from)?.percent ?? null;
                return (
                  <tr key={bucket.from}>
                    <th scope="row">{momentWords(bucket.from, frame, zone.value)}</th>
                    <td>{milliseconds(bucket.median)}</td>
                    <td>{milliseconds(bucket.p95)}</td>
                    <td>{loss === null ? '–' : percent(loss)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
