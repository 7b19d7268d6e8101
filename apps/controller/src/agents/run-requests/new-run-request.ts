import type { Row } from '@vantage/storage';

/**
 * A check that an agent must run now, or (`RetryDelegated`) a retry sequence that the agent must not continue itself; a
 * row of `run_requests`.
 */
export interface NewRunRequest {
  readonly kind: Row<'run_requests'>['kind'];
  readonly deviceNo: number;
  readonly agentNo: number;
  readonly locationNo: number;
  /** 0: the check is history only, and the Location need not check the device. */
  readonly revision: number;
  readonly retryId: string | null;
  readonly attempt: number;
  readonly notBeforeUs: number;
  readonly deadlineUs: number;
  readonly createdUs: number;
}
