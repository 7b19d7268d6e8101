import type { OperatorAnswers, OperatorRequests } from '@vantage/domain/operator-commands';
import type { Db } from '@vantage/storage';
import { awaitTrue } from './await-true.ts';

/** Controllers accept records again every 30 s. */
const withinMs = 60_000;

/** The quarantine in the form of the operator's command. */
export function showQuarantine(
  groups: readonly (Omit<OperatorAnswers['quarantine.list'][number], 'first' | 'last'> & {
    readonly first_us: number;
    readonly last_us: number;
  })[],
): OperatorAnswers['quarantine.list'] {
  return groups.map(({ first_us: firstUs, last_us: lastUs, ...group }) =>
    Object.assign(group, { first: new Date(firstUs / 1000), last: new Date(lastUs / 1000) }),
  );
}

/** Lets a running controller accept records again, and waits for it. */
export async function retryRecords(
  { kysely }: Db,
  { agent_id: agentId, reason, limit }: OperatorRequests['quarantine.retry'],
  {
    accountNo,
    retry,
    count,
  }: {
    readonly accountNo: number | undefined;
    /** Queues the chosen records, and returns their numbers. */
    readonly retry: (
      kysely: Db['kysely'],
      chosen: {
        readonly accountNo: number | undefined;
        readonly agentId: string | undefined;
        readonly reason: string | undefined;
        readonly limit: number;
      },
    ) => Promise<readonly number[]>;
    readonly count: (
      kysely: Db['kysely'],
      quarantinedNos: readonly number[],
    ) => Promise<{ readonly left: number; readonly waiting: number }>;
  },
): Promise<OperatorAnswers['quarantine.retry']> {
  const chosen = await retry(kysely, { accountNo, agentId, reason, limit });
  await awaitTrue(async () => (await count(kysely, chosen)).waiting === 0, withinMs);
  const { left, waiting } = await count(kysely, chosen);
  return { records: chosen.length, accepted: chosen.length - left, refused: left - waiting, waiting };
}
