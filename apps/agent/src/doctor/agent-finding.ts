import type { Finding } from '@vantage/kernel';

/** The steps of the doctor. A step relies on the steps before it. */
type AgentDoctorStep =
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

export type AgentFinding = Finding<AgentDoctorStep>;
