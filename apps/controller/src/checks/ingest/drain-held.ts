import { dayUs } from '@vantage/domain';
import { type Clock, createJobParts, declareShare, type Logger } from '@vantage/kernel';
import { sql, type Transaction } from 'kysely';
import type { WorkerWatch } from '../../platform/db/held/index.ts';
import {
  bisectBatch,
  type Db,
  dbFailure,
  lockDevicesOf,
  quarantine,
  type Tables,
} from '../../platform/db/index.ts';
import type { CheckRow } from './rows.ts';
import { type CheckStoreDeps, createCheckStore, lateHours } from './store-checks.ts';

declareShare({
  name: 'held_checks',
  limit: '500 of one agent in a round',
  filledBy: 'agents, on a Citus cluster whose workers are down',
  share: 'by device and start; a round lasts until nothing is left',
});

/** Stores held checks once all workers of the history are back. */
interface HeldDrain {
  /** Until the signal aborts, with the reviews of the workers. Any number of controllers may run it. */
  run(signal: AbortSignal): Promise<void>;
  /** Stores what is held, unless a worker is away. Returns how many checks were stored. */
  drain(signal?: AbortSignal): Promise<number>;
}

const everyMs = 1_000;
/** Checks in one transaction, of one account and agent. */
const atOnce = 500;

/** Checks of one agent, and where the next ones begin. */
interface Page {
  readonly accountNo: number;
  readonly agentNo: number;
  readonly rows: readonly CheckRow[];
}

/** Creates the drain. */
export function createHeldDrain({
  db,
  clock,
  log,
  workers,
  partitions,
  retentionDays,
  ...deps
}: Omit<CheckStoreDeps, 'rollUps'> & {
  readonly clock: Clock;
  readonly log: Logger;
  readonly workers: WorkerWatch;
  readonly partitions: { ensure(): Promise<void> };
  readonly retentionDays: number;
  readonly rollUps: CheckStoreDeps['rollUps'] & {
    markDirtyHours(trx: Transaction<Tables>, buckets: readonly number[]): Promise<void>;
  };
}): HeldDrain {
  const checks = createCheckStore({ db, ...deps });
  const parts = createJobParts({
    log,
    failed: 'held results cannot be stored; trying again',
    recovered: 'held results are stored again',
  });

  const store = ({ accountNo, agentNo }: Page, rows: readonly CheckRow[]) =>
    db.kysely.transaction().execute(async (trx) => {
      const nowUs = clock.nowUs();
      const devices = await lockDevicesOf(
        trx,
        accountNo,
        rows.map((row) => row.device_no),
      );
      // Under the locks: another controller may have stored them, and diagnostics may have been added.
      const held = await takeHeld(trx, rows);
      const oldestUs = nowUs - retentionDays * dayUs;
      const stored = await checks.drain(
        trx,
        held.filter((row) => row.start_us >= oldestUs),
        { sender: { accountNo, agentNo }, nowUs, devices },
      );
      await deps.rollUps.markDirtyHours(trx, lateHours(stored, nowUs));
    });

  const drainPage = async (page: Page) => {
    const refused = await bisectBatch(page.rows, (rows) =>
      store(page, rows).catch(async (error: unknown) => {
        if (dbFailure(error) !== 'no-partition') throw error;
        await partitions.ensure();
        await store(page, rows);
      }),
    );
    if (refused.length === 0) return;
    await quarantine(
      db.kysely,
      refused.map(({ item, error }) => ({ item: `check ${item.device_no}/${item.start_us}`, error })),
      { job: 'held results', nowUs: clock.nowUs(), log },
    );
    await db.kysely.transaction().execute((trx) =>
      takeHeld(
        trx,
        refused.map(({ item }) => item),
      ),
    );
  };

  const drain = async (signal?: AbortSignal) => {
    let count = 0;
    while (!workers.isAway && signal?.aborted !== true) {
      const page = await nextPage(db);
      if (page === undefined) break;
      await drainPage(page);
      count += page.rows.length;
    }
    if (count > 0) log.info({ results: count }, 'held results are stored');
    return count;
  };

  return {
    drain,
    async run(signal) {
      const reviews = workers.run(signal);
      // A copy or a restored backup may hold checks where the history is not distributed any more.
      let mayHold = true;
      while (!signal.aborted) {
        await parts.attempt('held results', async () => {
          if (mayHold) await drain(signal);
          mayHold = workers.isDistributed;
        });
        await clock.sleep(everyMs, signal).catch(() => {});
      }
      await reviews;
    },
  };
}

/** The first held checks of the agent that has the first one, by device and start. */
async function nextPage({ kysely }: Db): Promise<Page | undefined> {
  const { rows } = await sql<{ stored: CheckRow; accountNo: number }>`
    select h.stored, d.account_no as "accountNo" from held_checks h join devices d on d.device_no = h.device_no
    order by h.device_no, h.start_us, h.agent_no limit ${atOnce}`.execute(kysely);
  const [first] = rows;
  if (first === undefined) return undefined;
  const { agent_no: agentNo } = first.stored;
  const { accountNo } = first;
  const own = rows.filter((row) => row.accountNo === accountNo && row.stored.agent_no === agentNo);
  return { accountNo, agentNo, rows: own.map(({ stored }) => stored) };
}

/** Takes these checks out of the held ones and returns those that were there. */
async function takeHeld(trx: Transaction<Tables>, rows: readonly CheckRow[]): Promise<CheckRow[]> {
  const { rows: taken } = await sql<{ stored: CheckRow }>`
    delete from held_checks h using unnest(${rows.map((row) => row.device_no)}::int[],
      ${rows.map((row) => row.start_us)}::bigint[], ${rows.map((row) => row.agent_no)}::int[])
      as g (device_no, start_us, agent_no)
    where (h.device_no, h.start_us, h.agent_no) = (g.device_no, g.start_us, g.agent_no) returning h.stored`.execute(
    trx,
  );
  return taken
    .map(({ stored }) => stored)
    .sort((a, b) => a.device_no - b.device_no || a.start_us - b.start_us);
}
