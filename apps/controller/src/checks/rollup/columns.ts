/** The columns of sums that both tables of roll-ups have, besides those of the phases. */
export const sumColumns = [
  'checks',
  'errors',
  'inconclusive',
  'sum_ms',
  'min_ms',
  'max_ms',
  'lost',
  'sent',
  'retries',
  'on_request',
  'histogram',
] as const;
