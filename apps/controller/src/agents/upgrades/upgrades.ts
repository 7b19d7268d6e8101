import { cleanLine } from '@vantage/domain';
import type { CauseOf } from '@vantage/health';
import { type Clock, createJobParts, type Logger, messageOf } from '@vantage/kernel';
import { UpgradeReport_State as Reported, type UpgradeReport } from '@vantage/proto';
import { type Db, publish, type Tables, toText } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { decideRollout, type UpgradeState } from './decide-rollout.ts';
import * as store from './upgrade-store.ts';

/** Records the events of upgrades in the transaction that ended them. */
type RecordUpgradeEvents = (
  trx: Kysely<Tables>,
  causes: readonly CauseOf<'agent-upgraded'>[],
  nowUs: number,
) => Promise<void>;

/** Remote upgrades of agents. */
export interface Upgrades {
  /** The version to which an agent is to upgrade; undefined: none. */
  open(agentNo: number): Promise<store.OpenUpgrade | undefined>;
  /** An agent says where its upgrade stands. A report about another upgrade than the present one changes nothing. */
  report(
    agent: { readonly agentNo: number; readonly agentName: string; readonly locationName: string },
    report: UpgradeReport,
  ): void;
  /** Leads all rollouts until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const roundMs = 2_000;
const maxReason = 500;
const states: Readonly<Record<Reported, UpgradeState | undefined>> = {
  [Reported.UNSPECIFIED]: undefined,
  [Reported.DOWNLOADING]: 'Downloading',
  [Reported.RESTARTING]: 'Restarting',
  [Reported.RUNNING]: 'Done',
  [Reported.FAILED]: 'Failed',
};

/** Creates the upgrades. */
export function createUpgrades(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly recordEvents: RecordUpgradeEvents;
}): Upgrades {
  const { db, clock, log, recordEvents } = deps;
  const { kysely } = db;
  const parts = createJobParts({
    log,
    failed: 'rollouts are stuck; trying again',
    recovered: 'rollouts continue',
  });

  const move = async (trx: Kysely<Tables>, to: Omit<Parameters<typeof store.moveUpgrade>[1], 'nowUs'>) => {
    const nowUs = clock.nowUs();
    const agent = await store.moveUpgrade(trx, { ...to, nowUs });
    if (agent === undefined || (to.state !== 'Done' && to.state !== 'Failed')) return;
    const { accountNo, locationNo, version } = agent;
    const names = { locationName: cleanLine(agent.locationName), agentName: cleanLine(agent.agentName) };
    const cause = {
      kind: 'agent-upgraded',
      accountNo,
      locationNo,
      ...names,
      version,
      fault: to.reason,
    } as const;
    await recordEvents(trx, [cause], nowUs);
  };

  const advance = async (trx: Kysely<Tables>, rolloutNo: number) => {
    if (!(await store.lockRollout(trx, rolloutNo))) return;
    const nowUs = clock.nowUs();
    const decision = decideRollout(await store.agentsOfRollout(trx, rolloutNo, nowUs), nowUs);
    switch (decision.kind) {
      case 'go-on': {
        if (decision.start.length > 0) await store.setStarted(trx, decision.start, nowUs);
        // Again in each round: a notice may be lost.
        for (const agent_no of await store.unanswered(trx, rolloutNo))
          await publish(trx, 'runRequest', { agent_no });
        return;
      }
      case 'overdue':
        for (const { agentNo, reason } of decision.agents)
          await move(trx, { agentNo, upgradeId: undefined, state: 'Failed', reason });
        return;
      case 'stop':
        log.warn({ rolloutNo }, `a rollout stopped: ${decision.reason}`);
        return store.endRollout(trx, { rolloutNo, reason: decision.reason, nowUs });
      case 'done':
        return store.endRollout(trx, { rolloutNo, reason: null, nowUs });
    }
  };

  return {
    open: (agentNo) => store.openUpgrade(kysely, agentNo),
    report({ agentNo, agentName: agent, locationName: location }, { upgradeId, state: reported, text }) {
      const state = states[reported];
      if (state === undefined) return;
      const reason = state === 'Failed' ? cleanLine(toText(text, maxReason)) : null;
      kysely
        .transaction()
        .execute((trx) => move(trx, { agentNo, upgradeId: toText(upgradeId, 100), state, reason }))
        .catch((error: unknown) => {
          // The agent reports the outcome again after its next connect.
          log.warn(
            { agent, location, error: messageOf(error) },
            'the report about an upgrade cannot be stored',
          );
        });
    },
    async run(signal) {
      while (!signal.aborted) {
        let due: readonly number[] = [];
        await parts.attempt('rollouts', async () => {
          due = await store.dueRollouts(kysely);
        });
        // One transaction each: an unreadable row blocks only the rollout of its account.
        for (const rolloutNo of due)
          await parts.attempt(`rollout ${rolloutNo}`, () =>
            kysely.transaction().execute((trx) => advance(trx, rolloutNo)),
          );
        await clock.sleep(roundMs, signal).catch(() => undefined);
      }
    },
  };
}
