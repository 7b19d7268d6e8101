export { examineReplica } from './ask-servers.ts';
export { createReplica, type Replica } from './replica.ts';
