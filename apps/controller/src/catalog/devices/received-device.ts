import { type FieldFault, sentFault } from '@vantage/kernel';
import { shownRetries } from './device-table.ts';
import type { SentSettings } from './sent-device.ts';

/**
 * The sent settings of a device whose calls the controllers receive. No agent checks it, so it has no Locations; and
 * nothing can be tried again, so the first failing call makes it Down. What a GET shows may be sent back. Pure.
 */
export function withoutAgents(
  sent: SentSettings,
  current: { readonly retries: number } | undefined,
): { readonly values: SentSettings; readonly faults: readonly FieldFault[] } {
  const faults: FieldFault[] = [];
  const { Locations, Attempts, Retries } = sent;
  if (Locations !== undefined && Locations !== null && Locations.length > 0)
    faults.push(
      sentFault('Locations', '[] or null for the Method Push: the job calls the controllers', Locations),
    );
  if (Attempts !== undefined && Attempts !== null && Attempts !== 1)
    faults.push(sentFault('Attempts', '1 for the Method Push: a call is not repeated', Attempts));
  if (typeof Retries === 'number' && current !== undefined && Retries !== shownRetries(current.retries))
    faults.push({ field: 'Retries', message: 'has no meaning for the Method Push: a call is not repeated' });
  const { Retries: _, ...values } = sent;
  return { values: { ...values, Locations: [], Attempts: 1 }, faults };
}
