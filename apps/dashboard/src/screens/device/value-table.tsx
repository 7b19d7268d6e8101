import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { amount } from '../../model/amount.ts';
import { maxCharts } from '../../model/value-charts.ts';
import { Since } from '../../parts/time.tsx';
import css from './values.module.css';
import { valuesTexts as say } from './values-texts.ts';

/** Labels from which they are searched. */
const minSearched = 12;

/** All values of a device with their figures of the range; with more labels than charts, it chooses the charts. */
export function ValueTable({
  rows,
  charted,
  onChoose,
}: {
  readonly rows: readonly Schemas['DeviceValues'][];
  /** The labels whose charts are shown. */
  readonly charted: readonly string[];
  readonly onChoose: (labels: readonly string[]) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const labels = [...new Set(rows.map(({ Label }) => Label))];
  const canChoose = labels.length > maxCharts;
  const isFull = charted.length >= maxCharts;
  const found = rows.filter(({ Label }) => Label.toLowerCase().includes(text.trim().toLowerCase()));
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="hint">{canChoose ? say.choose(labels.length) : say.all(labels.length)}</summary>
      {isOpen && (
        <>
          {labels.length >= minSearched && (
            <input
              type="search"
              class={css['search']}
              aria-label={say.filter}
              placeholder={say.filter}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
          {canChoose && <p class="hint">{say.most(maxCharts)}</p>}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys */}
          <section class={css['table']} tabIndex={0} aria-label={say.all(labels.length)}>
            <table>
              <thead>
                <tr>
                  {canChoose && <th scope="col">{say.head.chart}</th>}
                  <th scope="col">{say.head.label}</th>
                  <th scope="col">{say.head.last}</th>
                  <th scope="col">{say.head.age}</th>
                  <th scope="col">{say.head.min}</th>
                  <th scope="col">{say.head.mean}</th>
                  <th scope="col">{say.head.p95}</th>
                  <th scope="col">{say.head.max}</th>
                </tr>
              </thead>
              <tbody>
                {found.map(({ Label, Unit, Last, Buckets: [all] }) => {
                  const isCharted = charted.includes(Label);
                  return (
                    <tr key={`${Label} ${Unit}`}>
                      {canChoose && (
                        <td>
                          <input
                            type="checkbox"
                            aria-label={say.chart(Label)}
                            checked={isCharted}
                            disabled={isCharted ? charted.length === 1 : isFull}
                            onChange={() =>
                              onChoose(
                                isCharted ? charted.filter((one) => one !== Label) : [...charted, Label],
                              )
                            }
                          />
                        </td>
                      )}
                      <th scope="row">
                        <bdi>{Label}</bdi>
                      </th>
                      <td>{amount(Last?.Value, Unit)}</td>
                      <td>{Last !== null && <Since at={Last.Timestamp} />}</td>
                      <td>{amount(all?.Min, Unit)}</td>
                      <td>{amount(all?.Mean, Unit)}</td>
                      <td>{amount(all?.P95, Unit)}</td>
                      <td>{amount(all?.Max, Unit)}</td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </section>
        </>
      )}
    </details>
  );
}
