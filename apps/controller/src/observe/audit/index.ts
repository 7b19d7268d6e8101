export { createChangeRecorder } from './record-changes.ts';
