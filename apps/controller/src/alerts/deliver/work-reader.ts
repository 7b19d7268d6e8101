/** The parts of the controller that must make progress. */
export type PartName = 'ingest' | 'status' | 'deliveries';

/** The work of a part. */
export interface PartWork {
  /** Counts finished pieces of work. */
  readonly done: number;
  /** Work waits, or the part runs rounds all the time. */
  readonly isWaiting: boolean;
}

/** A reading of the work of all parts. */
export type PartsWork = Readonly<Record<PartName, PartWork>>;

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
}): () => PartsWork {
  return () => {
    const { done, isWaiting } = ingest();
    return {
      ingest: { done, isWaiting: isWaiting || gateway.load.waitingBatches > 0 },
      status: { done: health.rounds, isWaiting: true },
      deliveries: { done: notify.rounds, isWaiting: true },
    };
  };
}
