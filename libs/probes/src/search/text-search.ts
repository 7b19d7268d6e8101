import { Worker } from 'node:worker_threads';
import { mebibyte, resultCode } from '@vantage/domain';
import { compileCacheEnv, declareState, siblingProgram, usableMemory } from '@vantage/kernel';
import { Failure, notMet } from '../contract/failure.ts';

/** A user's pattern and the foreign text to search. */
export type SearchJob =
  | { readonly kind: 'text'; readonly wanted: string; readonly text: string }
  /** JavaScript, flag `m`. */
  | { readonly kind: 'regex'; readonly pattern: string; readonly text: string }
  /** `value`: what the path must find at least once, as text or JSON. */
  | {
      readonly kind: 'json-path';
      readonly path: string;
      readonly text: string;
      readonly value: string | undefined;
    };

/** The outcome; a text that was wanted is a `match` too. `runaway`: it took too much time or memory. */
export type SearchResult =
  | { readonly kind: 'match'; readonly index: number; readonly length: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly isMet: boolean; readonly shown: string }
  | { readonly kind: 'no-json' }
  | { readonly kind: 'no-path'; readonly message: string }
  | { readonly kind: 'runaway' };

/** Searches on threads of its own. */
export interface TextSearch extends Disposable {
  /** Has a thread started by the time an answer comes: a new one takes some 100 ms. */
  prepare(): void;
  /**
   * `busy`: no thread was free in time, so nothing is known about the text. Rejects with the signal's reason when it
   * aborts during the search itself.
   */
  run(job: SearchJob, signal: AbortSignal): Promise<SearchResult | { readonly kind: 'busy' }>;
}

/** How much of the machine searches may use. */
export interface SearchRoom {
  readonly threads: number;
  /** Of one thread: the document of 1 MiB, parsed. */
  readonly megabytes: number;
  /** Wall-clock time of one search, milliseconds. */
  readonly limitMs: number;
  /** Searches that wait for a thread. */
  readonly waiting: number;
}

function defaultRoom(): SearchRoom {
  return { ...searchThreads(usableMemory()), limitMs: 1000, waiting: 1000 };
}
/** A thread that has had nothing to do for so long ends. */
const idleMs = 5 * 60_000;
/** The document of 1 MiB, parsed. */
const memory = { maxYoungGenerationSizeMb: 8, stackSizeMb: 4 } as const;

type Ending = (result: SearchResult | { readonly kind: 'busy' }) => void;

interface Waiting {
  readonly job: SearchJob;
  readonly settle: Ending;
}

interface Thread {
  readonly worker: Worker;
  state: 'starting' | 'idle' | 'searching';
  settle: Ending | undefined;
  timer: NodeJS.Timeout | undefined;
}

const tracked = declareState({
  name: 'waiting_searches',
  entries: { each: 'running check' },
  entryBytes: 2_200_000,
  filledBy: 'targets',
  atBound: '1,000 wait; a further search ends with ResultCode 10',
});

/**
 * Creates a search; threads start with the first job and never keep the process alive. A pattern with nested repetition
 * can take for ever on a text that is made for it, and the event loop runs every other check too: so it never runs
 * there, and its thread is ended.
 */
export function createTextSearch(room: SearchRoom = defaultRoom()): TextSearch {
  const threads = new Set<Thread>();
  const waiting = tracked(new Set<Waiting>());

  const release = (thread: Thread, result: SearchResult) => {
    clearTimeout(thread.timer);
    const { settle } = thread;
    thread.settle = undefined;
    settle?.(result);
  };
  const giveUpOldest = () => {
    const [oldest] = waiting;
    if (oldest === undefined) return;
    waiting.delete(oldest);
    oldest.settle({ kind: 'busy' });
  };
  const end = (thread: Thread) => {
    if (!threads.delete(thread)) return;
    release(thread, { kind: 'runaway' });
    // A machine without room for a thread is not asked again and again for the same job.
    if (thread.state === 'starting') giveUpOldest();
    void thread.worker.terminate();
    assign();
  };
  const rest = (thread: Thread) => {
    thread.state = 'idle';
    thread.timer = setTimeout(() => end(thread), idleMs).unref();
    assign();
  };
  const begin = (thread: Thread, next: Waiting) => {
    waiting.delete(next);
    clearTimeout(thread.timer);
    thread.state = 'searching';
    thread.settle = next.settle;
    thread.timer = setTimeout(() => end(thread), room.limitMs);
    thread.worker.postMessage(next.job);
  };
  const startThread = () => {
    const worker = new Worker(siblingProgram(import.meta.url, 'text-search-worker'), {
      env: compileCacheEnv(),
      execArgv: ['--no-warnings'],
      resourceLimits: { ...memory, maxOldGenerationSizeMb: room.megabytes },
    });
    worker.unref();
    const thread: Thread = { worker, state: 'starting', settle: undefined, timer: undefined };
    threads.add(thread);
    worker.on('message', (result: SearchResult | 'ready') => {
      if (result !== 'ready') release(thread, result);
      if (threads.has(thread)) rest(thread);
    });
    worker.on('error', () => end(thread));
    worker.on('exit', () => end(thread));
  };
  /** Gives the oldest jobs to threads that rest; starts a thread where one is missing. */
  function assign(): void {
    for (const thread of threads) {
      const [next] = waiting;
      if (next === undefined) return;
      if (thread.state === 'idle') begin(thread, next);
    }
    const starting = [...threads].filter(({ state }) => state === 'starting').length;
    if (waiting.size > starting && threads.size < room.threads) startThread();
  }

  return {
    prepare() {
      if (threads.size === 0) startThread();
    },
    run(job, signal) {
      if (waiting.size >= room.waiting) return Promise.resolve({ kind: 'busy' });
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          if (waiting.delete(own)) resolve({ kind: 'busy' });
          else reject(signal.reason);
        };
        const own: Waiting = {
          job,
          settle: (result) => {
            signal.removeEventListener('abort', onAbort);
            resolve(result);
          },
        };
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.add(own);
        assign();
      });
    },
    [Symbol.dispose]() {
      for (const { settle } of waiting) settle({ kind: 'busy' });
      waiting.clear();
      for (const thread of [...threads]) end(thread);
    },
  };
}

/** The search that all checks of this process share. */
export const textSearch: TextSearch = createTextSearch();

/** Comparisons that a search for a plain text may make on the event loop: some 2 ms at the very worst. */
const maxCompared = 16 * 1024 * 1024;

/**
 * Whether a text holds another. One made for it, 4 KiB long, can cost most of a second in 1 MiB: the time of `includes`
 * grows with the product of both lengths, so long ones are searched on a thread.
 */
export async function searchText(
  text: string,
  wanted: string,
  signal: AbortSignal,
): Promise<SearchResult | { readonly kind: 'busy' }> {
  if (text.length * wanted.length > maxCompared)
    return textSearch.run({ kind: 'text', wanted, text }, signal);
  const index = text.indexOf(wanted);
  return index < 0 ? { kind: 'none' } : { kind: 'match', index, length: wanted.length };
}

/** The failure of a search that did not finish. `where` names the searched text, for people. */
export function notSearched({ kind }: { readonly kind: string }, pattern: string, where: string): Failure {
  return kind === 'runaway'
    ? notMet(`${pattern} takes too long on this ${where}: make it simpler`)
    : new Failure(resultCode.agent, `this agent had no time to search the ${where} for ${pattern}`);
}

/** How many threads search at one moment with so much memory (bytes), and how much each may have. Pure. */
export function searchThreads(memory: number): { readonly threads: number; readonly megabytes: number } {
  return memory < 512 * mebibyte ? { threads: 1, megabytes: 64 } : { threads: 2, megabytes: 160 };
}
