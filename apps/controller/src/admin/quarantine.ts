import type { OperatorAnswers, OperatorRequests } from '@vantage/domain/operator-commands';
import type { Db } from '../db/index.ts';
import { countQuarantined, listQuarantined, retryQuarantined } from '../ingest/index.ts';
import { awaitTrue } from './await-true.ts';

/** Controllers look every 30 s for records to take in again. */
const withinMs = 60_000;

const dateOf = (us: number) => new Date(us / 1000);

/** The quarantine by agent and reason. */
export async function quarantineOf(
  { kysely }: Db,
  accountNo: number | undefined,
): Promise<OperatorAnswers['quarantine.list']> {
  const groups = await listQuarantined(kysely, accountNo);
  return groups.map(({ first_us, last_us, ...group }) =>
    Object.assign(group, { first: dateOf(first_us), last: dateOf(last_us) }),
  );
}

/** Lets a running controller take records in again, and waits for it. */
export async function retryRecords(
  { kysely }: Db,
  accountNo: number | undefined,
  { agent_id: agentId, reason, limit }: OperatorRequests['quarantine.retry'],
): Promise<OperatorAnswers['quarantine.retry']> {
  const chosen = await retryQuarantined(kysely, { accountNo, agentId, reason, limit });
  await awaitTrue(async () => (await countQuarantined(kysely, chosen)).waiting === 0, withinMs);
  const { left, waiting } = await countQuarantined(kysely, chosen);
  return { records: chosen.length, accepted: chosen.length - left, refused: left - waiting, waiting };
}
