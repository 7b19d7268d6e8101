import { uptime } from 'node:os';
import { systemClock } from '@vantage/kernel';
import { thisOperator } from '../../admin/operator-name.ts';
import type { ChangeTransaction } from '../../catalog/change.ts';
import { createHeldClock } from '../../platform/clocks/index.ts';
import type { Db } from '../../platform/db/index.ts';

/** The operator who runs a command. */
export interface Operator {
  /** As the audit names the operator. */
  readonly name: string;
  readonly clock: ReturnType<typeof createHeldClock>;
  /** Runs writers of the catalog in one transaction, as the operator. */
  readonly change: <T>(db: Db, work: (transaction: ChangeTransaction) => Promise<T>) => Promise<T>;
}

/** Creates the operator who runs this process. */
export function createOperator(env: NodeJS.ProcessEnv): Operator {
  const name = thisOperator(env);
  const clock = createHeldClock(systemClock, () => uptime() * 1000);
  return {
    name,
    clock,
    async change(db, work) {
      const { createCatalog } = await import('../../catalog/change.ts');
      const { createChangeRecorder } = await import('../../observe/audit/record-changes.ts');
      const catalog = createCatalog({ db, recordChanges: createChangeRecorder({ clock, operator: name }) });
      return catalog.change({ kind: 'command-line' }, work);
    },
  };
}
