import { uptime } from 'node:os';
import { systemClock } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import { thisOperator } from '../../admin/operator-name.ts';
import { createSharedClock, type SharedClock } from '../../agents/clocks/index.ts';
import type { ChangeTransaction } from '../../resources/change.ts';

/** The operator that runs a command. */
export interface Operator {
  /** The name in the audit. */
  readonly name: string;
  readonly clock: SharedClock;
  /** Runs writers of the catalog in one transaction, as the operator. */
  readonly change: <T>(db: Db, work: (transaction: ChangeTransaction) => Promise<T>) => Promise<T>;
}

/** Creates the operator who runs this process. */
export function createOperator(env: NodeJS.ProcessEnv): Operator {
  const name = thisOperator(env);
  const clock = createSharedClock(systemClock, () => uptime() * 1000);
  return {
    name,
    clock,
    async change(db, work) {
      const { createCatalog } = await import('../../resources/change.ts');
      const { createChangeRecorder } = await import('../../observe/audit/record-changes.ts');
      const catalog = createCatalog({ recordChanges: createChangeRecorder({ clock, operator: name }) });
      return catalog.change(db, { kind: 'command-line' }, work);
    },
  };
}
