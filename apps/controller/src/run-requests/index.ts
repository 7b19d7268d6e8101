export {
  agentsWithRunRequests,
  markAnswered,
  markSent,
  openRunRequests,
  requestedChecks,
} from './agent-store.ts';
export { createCheckNow } from './check-now.ts';
export {
  createRunRequests,
  deleteEnded,
  devicesWithOpenNow,
  expireOverdue,
  requestedRetries,
  withdrawRetries,
} from './store.ts';
