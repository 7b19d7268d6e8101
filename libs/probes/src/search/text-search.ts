import { Worker } from 'node:worker_threads';
import { mebibyte, resultCode } from '@vantage/domain';
import { compileCacheEnv, declareState, siblingProgram, usableMemory } from '@vantage/kernel';
import { Failure, notMet } from '../contract/failure.ts';

/** A user's pattern and the foreign text to search. */
export type SearchJob =
  | { readonly kind: 'text'; readonly pattern: string; readonly text: string }
  /** JavaScript, flag `m`. */
  | { readonly kind: 'regex'; readonly pattern: string; readonly text: string }
  /** The path must select `value`, as text or JSON, at least once. */
  | {
      readonly kind: 'json-path';
      readonly path: string;
      readonly text: string;
      readonly value: string | undefined;
    }
  /** Takes what the first group of the first match holds. */
  | { readonly kind: 'take-regex'; readonly pattern: string; readonly text: string }
  /** Takes the first value that the path selects, a text as it stands, any other as JSON. */
  | { readonly kind: 'take-json'; readonly path: string; readonly text: string };

/** The characters of a taken value. A longer one is cut after one more. */
export const maxTaken = 8192;

/** `runaway`: the search took too much time or memory. */
export type SearchResult =
  | { readonly kind: 'match'; readonly index: number; readonly length: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'found'; readonly isMet: boolean; readonly shown: string }
  | { readonly kind: 'taken'; readonly value: string }
  | { readonly kind: 'no-json' }
  | { readonly kind: 'no-path'; readonly message: string }
  | { readonly kind: 'runaway' };

/** Searches on separate threads. */
export interface TextSearch extends Disposable {
  /** Starts a thread before the answer arrives, because starting takes about 100 ms. */
  prepare(): void;
  /** `busy`: no thread was free in time. Rejects with the signal's reason if it aborts during the search. */
  run(job: SearchJob, signal: AbortSignal): Promise<SearchResult | { readonly kind: 'busy' }>;
}

export interface SearchLimits {
  readonly threads: number;
  /** For each thread: a parsed document of 1 MiB. */
  readonly megabytes: number;
  /** Wall-clock time of one search, milliseconds. */
  readonly limitMs: number;
  /** Searches that wait for a thread. */
  readonly waiting: number;
}

function defaultLimits(): SearchLimits {
  return { ...searchThreads(usableMemory()), limitMs: 1000, waiting: 1000 };
}
/** A thread ends after this time without a job. */
const idleMs = 5 * 60_000;
const memory = { maxYoungGenerationSizeMb: 8, stackSizeMb: 4 } as const;

type SettleSearch = (result: SearchResult | { readonly kind: 'busy' }) => void;

interface WaitingSearch {
  readonly job: SearchJob;
  readonly settle: SettleSearch;
}

interface SearchThread {
  readonly worker: Worker;
  state: 'starting' | 'idle' | 'searching';
  settle: SettleSearch | undefined;
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
 * Creates a search. Threads start with the first job and never keep the process alive. A pattern with nested repetition
 * can take unlimited time on a hostile text. It therefore never runs on the event loop, which serves all checks, and
 * its thread can be terminated.
 */
export function createTextSearch(limits: SearchLimits = defaultLimits()): TextSearch {
  const threads = new Set<SearchThread>();
  const waiting = tracked(new Set<WaitingSearch>());

  const release = (thread: SearchThread, result: SearchResult) => {
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
  const end = (thread: SearchThread) => {
    if (!threads.delete(thread)) return;
    release(thread, { kind: 'runaway' });
    // If the machine cannot start a thread, do not try again and again for the same job.
    if (thread.state === 'starting') giveUpOldest();
    void thread.worker.terminate();
    assign();
  };
  const rest = (thread: SearchThread) => {
    thread.state = 'idle';
    thread.timer = setTimeout(() => end(thread), idleMs).unref();
    assign();
  };
  const begin = (thread: SearchThread, next: WaitingSearch) => {
    waiting.delete(next);
    clearTimeout(thread.timer);
    thread.state = 'searching';
    thread.settle = next.settle;
    thread.timer = setTimeout(() => end(thread), limits.limitMs);
    thread.worker.postMessage(next.job);
  };
  const startThread = () => {
    const worker = new Worker(siblingProgram(import.meta.url, 'text-search-worker'), {
      env: compileCacheEnv(),
      execArgv: ['--no-warnings'],
      resourceLimits: { ...memory, maxOldGenerationSizeMb: limits.megabytes },
    });
    worker.unref();
    const thread: SearchThread = { worker, state: 'starting', settle: undefined, timer: undefined };
    threads.add(thread);
    worker.on('message', (result: SearchResult | 'ready') => {
      if (result !== 'ready') release(thread, result);
      if (threads.has(thread)) rest(thread);
    });
    worker.on('error', () => end(thread));
    worker.on('exit', () => end(thread));
  };
  /** Gives the oldest jobs to idle threads, and starts a thread if one is missing. */
  function assign(): void {
    for (const thread of threads) {
      const [next] = waiting;
      if (next === undefined) return;
      if (thread.state === 'idle') begin(thread, next);
    }
    const starting = [...threads].filter(({ state }) => state === 'starting').length;
    if (waiting.size > starting && threads.size < limits.threads) startThread();
  }

  return {
    prepare() {
      if (threads.size === 0) startThread();
    },
    run(job, signal) {
      if (waiting.size >= limits.waiting) return Promise.resolve({ kind: 'busy' });
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          if (waiting.delete(search)) resolve({ kind: 'busy' });
          else reject(signal.reason);
        };
        const search: WaitingSearch = {
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
        waiting.add(search);
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

/** Shared by all checks of this process. */
export const textSearch: TextSearch = createTextSearch();

/** The maximum of comparisons for a plain text on the event loop: 2 ms in the worst case. */
const maxCompared = 16 * 1024 * 1024;

/**
 * Searches a text for another one. The time grows with the product of both lengths: a hostile pattern of 4 KiB can take
 * most of a second in 1 MiB. Therefore long texts are searched on a thread.
 */
export async function searchText(
  text: string,
  pattern: string,
  signal: AbortSignal,
): Promise<SearchResult | { readonly kind: 'busy' }> {
  if (text.length * pattern.length > maxCompared)
    return textSearch.run({ kind: 'text', pattern, text }, signal);
  const index = text.indexOf(pattern);
  return index < 0 ? { kind: 'none' } : { kind: 'match', index, length: pattern.length };
}

/** The failure of an unfinished search. `where` names the searched text, for people. */
export function notSearched({ kind }: { readonly kind: string }, pattern: string, where: string): Failure {
  return kind === 'runaway'
    ? notMet(`${pattern} takes too long on this ${where}: make it simpler`)
    : new Failure(resultCode.agent, `this agent had no time to search the ${where} for ${pattern}`);
}

/** The number of threads for a machine with this memory (bytes), and the memory of each. Pure. */
export function searchThreads(memory: number): { readonly threads: number; readonly megabytes: number } {
  return memory < 512 * mebibyte ? { threads: 1, megabytes: 64 } : { threads: 2, megabytes: 160 };
}
