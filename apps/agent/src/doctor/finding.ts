import type { Finding as FindingOf } from '@vantage/kernel';

/** The steps of the doctor, each building on those before it. */
type Step =
  | 'settings'
  | 'name'
  | 'TCP'
  | 'TLS'
  | 'certificate'
  | 'clock'
  | 'stream'
  | 'disk'
  | 'policy'
  | 'right to ping';

/** One finding of the agent's doctor. */
export type Finding = FindingOf<Step>;
