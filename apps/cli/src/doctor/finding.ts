import type { OperatorAnswers } from '@vantage/domain/operator-commands';
import type { Finding as FindingOf } from '@vantage/kernel';

/** A step of the controller's doctor. */
type Step =
  | 'data folder'
  | 'disk'
  | 'key file'
  | OperatorAnswers['database.examine'][number]['step']
  | 'system'
  | 'certificate'
  | 'API'
  | 'readiness'
  | 'agents’ port'
  | 'PING'
  | 'agents';

/** One finding of the controller's doctor. */
export type Finding = FindingOf<Step>;
