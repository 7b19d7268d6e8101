export { createReplica, type Replica } from './replica.ts';
