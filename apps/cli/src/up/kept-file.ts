import { messageOf } from '@vantage/kernel';
import { writeWhole } from './write-whole.ts';

/** A small file that follows what the system does, also over a disk that is full or read-only for a while. */
export interface KeptFile {
  /**
   * Writes the text now; where the disk refuses, the old file stays and the newest text is written once the disk takes
   * it.
   */
  write(text: string): void;
  /** Writes no more. */
  stop(): void;
}

const againMs = 1_000;

/** Keeps a file of mode 0600. `say` gets one line when the disk refuses, and one when it takes the file again. */
export function keepFile(file: string, say: (text: string) => void): KeptFile {
  let waiting: { text: string; readonly timer: NodeJS.Timeout } | undefined;
  const attempt = (text: string) => {
    try {
      writeWhole(file, text, 0o600);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  };
  const stop = () => {
    clearInterval(waiting?.timer);
    waiting = undefined;
  };
  const again = () => {
    if (waiting === undefined || attempt(waiting.text) !== undefined) return;
    stop();
    say(`${file} is written again`);
  };
  return {
    write(text) {
      const fault = attempt(text);
      if (fault === undefined) return stop();
      if (waiting !== undefined) {
        waiting.text = text;
        return;
      }
      say(
        `${file} cannot be written (${fault}): make room on its disk; everything else goes on, and it is tried again`,
      );
      waiting = { text, timer: setInterval(again, againMs).unref() };
    },
    stop,
  };
}
