import { newId } from '@vantage/kernel';
import type { Session } from '@vantage/rest-kit/session';
import type { Db, Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { actorOf } from '../../resources/change.ts';
import { readAlike, readCandidates } from './candidate-store.ts';
import { keepPlan } from './change-plan-store.ts';
import { type AskedChange, type DeviceChangeOutcome, maxRejected } from './device-change-fields.ts';
import { countInMaintenance, idsOf, keptMasters } from './device-change-store.ts';
import { judgeAll, judgeDevice, masterOfOthers, type ResolvedChange } from './judge-devices.ts';
import { devicesOf, readyChange } from './prepare-change.ts';
import type { ApplyDeps } from './ready-change.ts';

/** Previews a change: keeps its plan, and answers what would become of its devices. */
export async function previewChange(
  db: Db,
  deps: ApplyDeps,
  session: Session,
  asked: AskedChange,
): Promise<DeviceChangeOutcome> {
  const { catalog, clock } = deps;
  const { kysely } = db;
  const { accountNo } = session;
  const nowUs = clock.nowUs();
  const token = newId();
  const { wanted } = await readyChange(db, session, { token, asked, nowUs });
  const deviceNos = await devicesOf(db, accountNo, asked, nowUs);
  await catalog.add(db, actorOf(session), (transaction) =>
    keepPlan(transaction, session, { token, request: JSON.stringify(asked), deviceNos }, nowUs),
  );
  const answer = (changed: number, refused: DeviceChangeOutcome['Refused']): DeviceChangeOutcome => ({
    Matched: deviceNos.length,
    Changed: changed,
    Refused: refused.slice(0, maxRejected),
    Token: token,
    Done: false,
  });
  if (asked.Delete) {
    const kept = await keptMasters(kysely, deviceNos);
    const ids = await idsOf(kysely, [...kept].slice(0, maxRejected));
    return answer(
      deviceNos.length - kept.size,
      ids.map((device_id) => ({ device_id, Reason: masterOfOthers })),
    );
  }
  const { changed, refused } = await judgeMany(kysely, deviceNos, wanted);
  if (asked.Maintenance === undefined) return answer(changed, refused);
  const maintained =
    asked.Maintenance === null
      ? await countInMaintenance(kysely, deviceNos, nowUs)
      : deviceNos.length - refused.length;
  return answer(Math.max(changed, maintained), refused);
}

/**
 * How many of these devices would change, and which would be refused. Only masters of the new master can be refused.
 */
async function judgeMany(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  wanted: ResolvedChange,
): Promise<{ readonly changed: number; readonly refused: DeviceChangeOutcome['Refused'] }> {
  const above = deviceNos.filter((no) => wanted.above.has(no));
  const others = above.length === 0 ? deviceNos : deviceNos.filter((no) => !wanted.above.has(no));
  const judged = judgeAll(await readCandidates(db, above, wanted), wanted);
  let changed = judged.changed.length;
  for (const { devices, ...settings } of await readAlike(db, others, wanted))
    if (judgeDevice({ ...settings, device_no: 0, device_id: '', short_name: '' }, wanted).kind === 'changed')
      changed += devices;
  return { changed, refused: judged.refused };
}

/** Devices of one transaction: others wait for the account's lock while it runs. */
export const atOnce = { settings: 500, maintenance: 50 } as const;
