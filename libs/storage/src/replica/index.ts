export { examineReplica } from './examine-replica.ts';
export { createReplica, type Replica } from './replica.ts';
