export { type Assign, createAssign } from './assign.ts';
export { type CheckNow, type CheckNowAnswer, createCheckNow } from './check-now.ts';
