import { messageOf } from '@vantage/kernel';

/** Reports the faults of a disk once per change: the same text is not reported again before a success. */
export interface FaultReporter {
  /** Returns undefined, so that it can handle a rejected promise. */
  readonly report: (error: unknown) => undefined;
  /** The disk works again. */
  clear(): void;
}

/** Creates the reporter. `onFault` receives the message of each new fault. */
export function createFaultReporter(onFault: (text: string) => void): FaultReporter {
  let last = '';
  return {
    report(error) {
      const text = messageOf(error);
      if (text !== last) onFault(text);
      last = text;
      return undefined;
    },
    clear() {
      last = '';
    },
  };
}
