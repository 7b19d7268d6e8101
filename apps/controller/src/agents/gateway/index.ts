export type { AgentPresence, AgentStatus } from './agent-presence.ts';
export { createGateway } from './gateway.ts';
export { deleteControllers } from './store.ts';
