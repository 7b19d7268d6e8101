import { type MeasuredValue, maxLabelLength, maxUnitLength, maxValues, valueFault } from '@vantage/domain';
import type { Mask } from '../redact/mask.ts';

/** The values of a check that can be stored. `dropped`: the number of the others. */
export interface FitValues {
  readonly values: readonly MeasuredValue[];
  readonly dropped: number;
}

/**
 * Masks secrets in labels and units, makes each a line of its maximum length, and drops what still cannot be stored, a
 * label that was there, and values beyond `maxValues`. Pure.
 */
export function fitValues(values: readonly MeasuredValue[], mask: Pick<Mask, 'text'>): FitValues {
  const labels = new Set<string>();
  const fit: MeasuredValue[] = [];
  for (const { Label, Value, Unit } of values) {
    if (fit.length === maxValues) break;
    const value = {
      Label: line(mask.text(Label), maxLabelLength),
      Value: Value + 0,
      Unit: line(mask.text(Unit), maxUnitLength),
    };
    if (valueFault(value) !== undefined || labels.has(value.Label)) continue;
    labels.add(value.Label);
    fit.push(value);
  }
  return { values: fit, dropped: values.length - fit.length };
}

function line(text: string, maxLength: number): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed()
    .slice(0, maxLength)
    .toWellFormed()
    .trim();
}
