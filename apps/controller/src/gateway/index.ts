export { createGateway, type Gateway } from './gateway.ts';
export type { BatchReceiver } from './session-opener.ts';
export { deleteControllers, type KnownAgent } from './store.ts';
