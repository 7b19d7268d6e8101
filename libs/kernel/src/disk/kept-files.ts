import { messageOf } from '../fault.ts';
import { diskRemedy, replaceFileSync } from './replace-file.ts';

/** Small files that follow what a program does, also over a disk that is full or read-only for a while. */
export interface KeptFiles {
  /**
   * Replaces the file now. Where the disk refuses, the old file stays, and the newest text is written once the disk
   * takes it.
   */
  write(file: string, text: string, mode?: number): void;
  /** Whether the disk refused the newest text of the file so far. */
  isWaiting(file: string): boolean;
  /** Tries no more. */
  stop(): void;
}

interface Waiting {
  text: string;
  mode: number;
}

const againMs = 1_000;

/** Keeps small files. `say` gets one line when the disk refuses a file, and one when it takes the file again. */
export function keepFiles(say: (text: string) => void): KeptFiles {
  const waiting = new Map<string, Waiting>();
  let timer: NodeJS.Timeout | undefined;
  const attempt = (file: string, { text, mode }: Waiting) => {
    try {
      replaceFileSync(file, text, mode);
      return undefined;
    } catch (error) {
      return { why: messageOf(error), remedy: diskRemedy(error) };
    }
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    waiting.clear();
  };
  const done = (file: string) => {
    if (!waiting.delete(file)) return;
    say(`${file} is written again`);
    if (waiting.size === 0) stop();
  };
  const again = () => {
    for (const [file, content] of waiting) if (attempt(file, content) === undefined) done(file);
  };
  return {
    write(file, text, mode = 0o600) {
      const content = { text, mode };
      const fault = attempt(file, content);
      if (fault === undefined) return done(file);
      if (!waiting.has(file))
        say(
          `${file} cannot be written (${fault.why}): ${fault.remedy}; everything else goes on, and it is tried again`,
        );
      waiting.set(file, content);
      timer ??= setInterval(again, againMs).unref();
    },
    isWaiting: (file) => waiting.has(file),
    stop,
  };
}
