export type { AgentPresence, AgentSessionStatus } from './agent-presence.ts';
export { deleteControllers } from './controller-store.ts';
export { createGateway } from './gateway.ts';
