export { createGateway, type Gateway } from './gateway.ts';
export { deleteControllers } from './store.ts';
