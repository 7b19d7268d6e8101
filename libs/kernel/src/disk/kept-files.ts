import { messageOf } from '../fault.ts';
import { diskRemedy, replaceFileSync } from './replace-file.ts';

/** Small files that show the state of a program. They survive a disk that is full or read-only for a while. */
export interface KeptFiles {
  /** Replaces the file now. If the disk rejects it, the old file stays, and the newest text is retried. */
  write(file: string, text: string, mode?: number): void;
  /** Whether the newest text of the file still has to be written. */
  isWaiting(file: string): boolean;
  /** Ends the retries. */
  stop(): void;
}

interface PendingText {
  text: string;
  mode: number;
}

const againMs = 1_000;

/** `say` receives a line when the disk rejects a file, and one when the file is written again. */
export function keepFiles(say: (text: string) => void): KeptFiles {
  const waiting = new Map<string, PendingText>();
  let timer: NodeJS.Timeout | undefined;
  const attempt = (file: string, { text, mode }: PendingText) => {
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
          `${file} cannot be written (${fault.why}): ${fault.remedy}; everything else continues, and the write is retried`,
        );
      waiting.set(file, content);
      timer ??= setInterval(again, againMs).unref();
    },
    isWaiting: (file) => waiting.has(file),
    stop,
  };
}
