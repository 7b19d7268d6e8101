export { createGateway, type Gateway } from './gateway.ts';
export type { BatchReceiver } from './session-opener.ts';
export type { KnownAgent } from './store.ts';
