import type { Schemas } from '@vantage/client';
import { amount } from '../model/amount.ts';
import { checkTexts } from '../texts/check-texts.ts';
import css from './value-list.module.css';

/** The values that a check measured. */
export function ValueList({ values }: { readonly values: readonly Schemas['MeasuredValue'][] }) {
  return (
    <section class={css['part']}>
      <h3>{checkTexts.values}</h3>
      <dl class={css['values']}>
        {values.map(({ Label, Value, Unit }) => (
          <div key={Label}>
            <dt title={Label}>
              <bdi>{Label}</bdi>
            </dt>
            <dd title={`${Value} ${Unit}`.trim()}>{amount(Value, Unit)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
