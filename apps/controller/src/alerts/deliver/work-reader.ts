import type { Work } from './heartbeat.ts';

/** Creates the reader of the work that the parts of this process did, for the operator's heartbeat. */
export function createWorkReader({
  ingest,
  gateway,
  health,
  notify,
}: {
  readonly ingest: () => { readonly done: number; readonly isWaiting: boolean };
  readonly gateway: { readonly load: { readonly waitingBatches: number } };
  readonly health: { readonly rounds: number };
  readonly notify: { readonly rounds: number };
}): () => Work {
  return () => {
    const { done, isWaiting } = ingest();
    return {
      ingest: { done, isWaiting: isWaiting || gateway.load.waitingBatches > 0 },
      status: { done: health.rounds, isWaiting: true },
      deliveries: { done: notify.rounds, isWaiting: true },
    };
  };
}
