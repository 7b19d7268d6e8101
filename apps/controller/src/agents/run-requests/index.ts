import { createCheckNow } from './check-now.ts';
import {
  agentsWithRunRequests,
  openRunRequests,
  requestedChecks,
  setAnswered,
  setSent,
} from './open-run-request-store.ts';
import {
  createRunRequests,
  deleteEnded,
  devicesWithOpenNow,
  expireOverdue,
  requestedRetries,
  withdrawRetries,
} from './run-request-store.ts';
import { createRunTrial } from './trial.ts';
import { openTrials, takeTrials } from './trial-store.ts';

/** Requests for which a caller of the REST API waits. */
function createOnRequest(deps: Parameters<typeof createCheckNow>[0] & Parameters<typeof createRunTrial>[0]) {
  return { checkNow: createCheckNow(deps), runTrial: createRunTrial(deps) };
}

/** The only door to the table of run requests. Each step takes the functions that it needs of this object. */
export const runRequests = {
  createOnRequest,
  createRunRequests,
  withdrawRetries,
  expireOverdue,
  requestedRetries,
  devicesWithOpenNow,
  openRunRequests,
  agentsWithRunRequests,
  setSent,
  requestedChecks,
  setAnswered,
  deleteEnded,
  openTrials,
  takeTrials,
};
