export { type BatchReceiver, createGateway, type Gateway } from './gateway.ts';
export type { KnownAgent } from './store.ts';
