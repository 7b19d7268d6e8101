import type { Schemas } from '@vantage/client';

type Alert = Schemas['Alert'];

/** A message of a schedule that is still to come. */
export interface PlannedMessage {
  /** ISO 8601. */
  readonly at: string;
  readonly to: readonly string[];
  /** Steps of the schedule, from 1. */
  readonly steps: readonly number[];
  readonly isRepeat: boolean;
}

/**
 * The messages of an alert that are still to come if it is not acknowledged, the next one first. `preview` are all
 * messages of its schedule. A snooze delays those before its end. Pure.
 */
export function plannedMessages(
  alert: Pick<Alert, 'State' | 'SnoozedUntil' | 'Notifications'>,
  preview: readonly Schemas['PreviewedMessage'][],
  nowMs: number,
): readonly PlannedMessage[] {
  if (alert.State === 'Closed' || alert.State === 'Acknowledged') return [];
  const sent = new Set(alert.Notifications.map(({ Step }) => Step));
  const snoozedMs = alert.SnoozedUntil === null ? 0 : Date.parse(alert.SnoozedUntil);
  return preview
    .filter(({ Timestamp, Contacts }) => Date.parse(Timestamp) > nowMs && Contacts.length > 0)
    .map(({ Timestamp, Contacts, Steps, Repeat }) => ({
      at: alert.SnoozedUntil !== null && Date.parse(Timestamp) < snoozedMs ? alert.SnoozedUntil : Timestamp,
      to: Contacts.map(({ Name }) => Name),
      steps: Repeat ? Steps : Steps.filter((step) => !sent.has(step)),
      isRepeat: Repeat,
    }))
    .filter(({ steps }) => steps.length > 0)
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
