export { type Assign, createAssign } from './assign.ts';
