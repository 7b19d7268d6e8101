import { uptime } from 'node:os';
import path from 'node:path';
import { type Clock, createDiskWatch, type DiskWatch, type Logger, newId, roomNeeds } from '@vantage/kernel';
import { type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { type AgentTime, createAgentTime } from '../clock/agent-time.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import type { Timing } from '../config/agent-timing.ts';
import { type Outbox, openOutbox } from '../outbox/outbox.ts';
import { retryRulesOf } from '../schedule/device-schedule.ts';
import { type AssignmentStore, openAssignments } from '../storage/assignment-store.ts';
import { openRetryStore, type RetryStore } from '../storage/retry-store.ts';
import { openIdentity, type RunIdentity } from '../storage/run-identity.ts';

/** Everything that outlives the process, and the clock that starts from it. */
export interface Stores extends AsyncDisposable {
  readonly identity: RunIdentity;
  readonly time: AgentTime;
  readonly assignments: AssignmentStore;
  readonly retryStore: RetryStore;
  readonly outbox: Outbox;
  /** The disk of the data folder. */
  readonly disk: DiskWatch;
  readonly append: (record: OutboxRecord['record']) => void;
}

/** Opens the files in the agent's data folder. */
export async function openStores(deps: {
  readonly config: AgentConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timing: Timing;
}): Promise<Stores> {
  const { config, clock, log, timing } = deps;
  const folder = config.dataDir;
  const onFault = (text: string) => log.error(text);
  await using opened = new AsyncDisposableStack();
  const identity = opened.use(
    await openIdentity({ folder, newId, nowMs: () => clock.nowUs() / 1000, onFault }),
  );
  const wallOffsetUs = identity.wallOffsetUs ?? 0;
  const time = createAgentTime({ clock, upMs: () => uptime() * 1000, wallOffsetUs });
  const assignments = opened.use(await openAssignments({ folder, clock, onFault }));
  const retryStore = await openRetryStore({
    folder,
    onFault,
    rulesOf(deviceNo) {
      const assignment = assignments.all.get(deviceNo);
      if (assignment === undefined) return undefined;
      const rules = retryRulesOf(timing.scaled(assignment), timing.requestGraceMs);
      return { revision: assignment.revision, rules };
    },
  });
  const outbox = opened.use(
    await openOutbox({
      folder: path.join(folder, 'outbox'),
      maxBytes: config.outboxBytes,
      clock,
      nowMs: () => time.nowUs() / 1000,
      newId,
      onFault: (text) => log.error(`outbox: ${text}`),
      onStored({ record }) {
        if (record.case === 'result') retryStore.add(record.value);
      },
      beforeDelete: () => retryStore.written(),
    }),
  );
  const disk = createDiskWatch({
    folder,
    clock,
    log,
    needs: roomNeeds.agent,
    effect:
      'results that the disk refuses become a data gap when this process ends before they are delivered',
  });
  await disk.check();
  const owned = opened.move();
  return {
    identity,
    time,
    assignments,
    retryStore,
    outbox,
    disk,
    append: (record) => outbox.append({ $typeName: OutboxRecordSchema.typeName, record }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
