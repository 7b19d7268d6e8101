import { type Claim, createFairQueue, type FairLimits } from './fair-queue.ts';

/** Capacity that accounts share in turns. */
export interface FairSlots {
  /**
   * Resolves when it is this claim's turn. Disposing the result gives its share back; disposing it again changes
   * nothing. Rejects with the signal's reason.
   */
  acquire(claim: Claim, signal: AbortSignal): Promise<Disposable>;
  /** Does the work when it is its turn; rejects with the signal's reason when that aborts before. */
  run<T>(claim: Claim, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Claims whose turn has not come. */
  readonly waiting: number;
}

interface Waiting extends Claim {
  readonly begin: () => void;
}

/** Creates the slots; `createFairQueue` decides which claim is next. */
export function createFairSlots(limits: FairLimits): FairSlots {
  const queue = createFairQueue<Waiting>(limits);
  const start = () => {
    for (const { begin } of queue.start()) begin();
  };
  const acquire: FairSlots['acquire'] = async ({ accountNo, agentNo, weight }, signal) => {
    signal.throwIfAborted();
    const turn = Promise.withResolvers<void>();
    const claim: Waiting = { accountNo, agentNo, weight, begin: turn.resolve };
    const release = () => {
      queue.remove(claim);
      start();
    };
    const withdraw = () => turn.reject(signal.reason);
    signal.addEventListener('abort', withdraw, { once: true });
    queue.add(claim);
    start();
    try {
      await turn.promise;
      return { [Symbol.dispose]: release };
    } catch (error) {
      release();
      throw error;
    } finally {
      signal.removeEventListener('abort', withdraw);
    }
  };
  return {
    acquire,
    get waiting() {
      return queue.waiting;
    },
    async run(claim, signal, work) {
      using _share = await acquire(claim, signal);
      return await work();
    },
  };
}
