import type { Logger } from '@vantage/kernel';
import { createFaultReporter } from '../storage/fault-reporter.ts';
import type { Grant, IdentityFolder } from './identity-folder.ts';

/** Stores the certificates that the controller issues, even if the disk refuses them for a while. */
interface GrantStore {
  keep(key: string, grant: Grant, tokenHash: string): Promise<void>;
  /** Repeats a write that the disk refused, if there is one. */
  again(): Promise<void>;
}

/** Creates the store. It logs each new disk fault once. */
export function createGrantStore(folder: Pick<IdentityFolder, 'keep'>, log: Logger): GrantStore {
  const faults = createFaultReporter((text) =>
    log.error(`the agent's certificate cannot be stored: ${text}`),
  );
  let unstored: (() => Promise<void>) | undefined;
  const again = async () => {
    try {
      await unstored?.();
      unstored = undefined;
      faults.clear();
    } catch (error) {
      faults.report(error);
    }
  };
  return {
    again,
    keep(...granted) {
      unstored = () => folder.keep(...granted);
      return again();
    },
  };
}
