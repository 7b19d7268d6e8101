import type { Logger } from '@vantage/kernel';
import { createFaultReporter } from '../storage/disk.ts';
import type { Grant, IdentityFolder } from './identity-folder.ts';

/** Stores what the controller grants, also over a disk that refuses it for a while. */
export interface GrantStore {
  keep(key: string, grant: Grant, tokenHash: string): Promise<void>;
  /** Stores what the disk refused before, if there is something. */
  again(): Promise<void>;
}

/** Creates the store; the log gets one line for each new fault of the disk. */
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
