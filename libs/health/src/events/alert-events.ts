import { causedBy, type OfAlert } from './event-kind.ts';

/** The reason for which the controller did not notify people. */
export type SuppressionReason = 'master' | 'maintenance' | 'schedule' | 'late' | 'flapping';

export const alertEvents = {
  /** The controller decided to notify people. `text` describes the cause; for an outage it is the CheckResult. */
  alert: causedBy<OfAlert & { readonly text: string }>()({
    types: ['Alert'],
    changesAlerts: false,
    row: ({ status }) => ({ type: 'Alert', status }),
    text: ({ alertKind, text }) => `Alert ${alertKind}: ${text}`,
  }),
  /** A notification cannot be delivered to a contact. `reason` is the last answer of its server, without secrets. */
  'alert-failed': causedBy<OfAlert & { readonly contactName: string; readonly reason: string }>()({
    types: ['AlertFailed'],
    changesAlerts: false,
    row: ({ status }) => ({ type: 'AlertFailed', status }),
    text: ({ contactName, alertKind, reason }) =>
      `Contact ${contactName} was not notified of ${alertKind}: ${reason}`,
  }),
  /** The controller decided not to notify people. `detail` ends a sentence: the master, or the end of a window. */
  'alert-suppressed': causedBy<OfAlert & { readonly reason: SuppressionReason; readonly detail: string }>()({
    types: ['AlertSuppressed'],
    changesAlerts: false,
    row: ({ status }) => ({ type: 'AlertSuppressed', status }),
    text: ({ detail }) => `No alert, because ${detail}`,
  }),
};
