import type { OperatorAnswers } from '@vantage/domain/operator-commands';
import type { Finding } from '@vantage/kernel';

/** A step of the controller's doctor. */
type ControllerStep =
  | 'data folder'
  | 'disk'
  | 'key file'
  | OperatorAnswers['database.examine'][number]['step']
  | 'sums'
  | 'system'
  | 'certificate'
  | 'API'
  | 'readiness'
  | 'agents’ port'
  | 'PING'
  | 'agents';

/** A finding of the controller's doctor. */
export type ControllerFinding = Finding<ControllerStep>;
