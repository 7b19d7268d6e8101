export { heldDevices, heldSince } from './held-store.ts';
export { createWorkerWatch, noWorkers, type WorkerWatch } from './worker-watch.ts';
