export type { AgentPresence, AgentStatus } from './agent-presence.ts';
export { createGateway, type Gateway } from './gateway.ts';
export { deleteControllers } from './store.ts';
