import type { CheckSpec } from '@vantage/proto';
import { createMask } from '../redact/mask.ts';
import { secretValues } from '../redact/secret-options.ts';
import { readSpec } from './registry.ts';

/** Masks the secrets of a device in a text that another program wrote. `local`: see `readSpec`. */
export function specMask(
  spec: CheckSpec,
  local?: (name: string) => string | undefined,
): (text: string) => string {
  const reading = readSpec(spec, local);
  const values = Object.values(spec.secrets);
  if (reading.ok) {
    const { probe, target, options, secrets = new Map() } = reading.check;
    values.push(...secretValues(probe, target, options), ...[...secrets.values()].map((one) => one.reveal()));
  }
  const mask = createMask(values);
  return (text) => mask.text(text);
}
