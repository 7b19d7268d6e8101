import {
  agentsWithRunRequests,
  markAnswered,
  markSent,
  openRunRequests,
  requestedChecks,
} from './agent-store.ts';
import { createCheckNow } from './check-now.ts';
import {
  createRunRequests,
  deleteEnded,
  devicesWithOpenNow,
  expireOverdue,
  requestedRetries,
  withdrawRetries,
} from './store.ts';

/** The only door to the table of run requests. Each step takes the functions that it needs of this object. */
export const runRequests = {
  createCheckNow,
  createRunRequests,
  withdrawRetries,
  expireOverdue,
  requestedRetries,
  devicesWithOpenNow,
  openRunRequests,
  agentsWithRunRequests,
  markSent,
  requestedChecks,
  markAnswered,
  deleteEnded,
};
