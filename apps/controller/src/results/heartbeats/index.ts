export { createHeartbeats } from './heartbeats.ts';
