export { createAssign } from './assign.ts';
