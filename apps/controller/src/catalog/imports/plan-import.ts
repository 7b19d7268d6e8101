import { Worker } from 'node:worker_threads';
import type { ImportOutcome } from '@vantage/imports';
import type { FormatName } from '@vantage/imports/formats';
import { compileCacheEnv, siblingProgram } from '@vantage/kernel';

/** Texts of another tool's files. */
export interface SentImport {
  readonly format: FormatName;
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** `prometheus`: the modules of the blackbox_exporter. */
  readonly modules: string | undefined;
  /** `prometheus`: the module of targets that name none. */
  readonly module: string | undefined;
}

/** `runaway`: reading took too much time or memory. */
export type ImportAnswer =
  | { readonly kind: 'read'; readonly outcome: ImportOutcome }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'runaway' };

const limitMs = 20_000;
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** Reads the files on a thread of its own, which ends with the answer. Rejects with the signal's reason. */
export function planImport(sent: SentImport, signal: AbortSignal): Promise<ImportAnswer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(siblingProgram(import.meta.url, 'import-worker'), {
      env: compileCacheEnv(),
      execArgv: ['--no-warnings'],
      resourceLimits,
    });
    worker.unref();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      void worker.terminate();
    };
    const answer = (given: ImportAnswer) => {
      end();
      resolve(given);
    };
    const onAbort = () => {
      end();
      reject(signal.reason);
    };
    const timer = setTimeout(() => answer({ kind: 'runaway' }), limitMs);
    signal.addEventListener('abort', onAbort, { once: true });
    worker.on('message', answer);
    worker.postMessage(sent);
    worker.on('error', (error: unknown) => {
      const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (isMemory) answer({ kind: 'runaway' });
      else {
        end();
        reject(error);
      }
    });
    worker.on('exit', () => answer({ kind: 'runaway' }));
  });
}
