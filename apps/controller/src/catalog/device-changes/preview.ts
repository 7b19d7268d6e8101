import { newId } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import type { Session } from '../../rest/http/session.ts';
import { actorOf } from '../from-rest.ts';
import type { ApplyDeps } from './apply.ts';
import { devicesOf, readyChange } from './carry-out.ts';
import { type AskedChange, mostRefused, type Outcome } from './fields.ts';
import { judgeAll, judgeDevice, masterOfOthers, type Wanted } from './judge.ts';
import { keepPlan } from './plan-store.ts';
import { countInMaintenance, idsOf, keptMasters, readAlike, readCandidates } from './store.ts';

/** Previews a change: keeps its plan, and answers what would become of its devices. */
export async function previewChange(deps: ApplyDeps, session: Session, asked: AskedChange): Promise<Outcome> {
  const { db, catalog, clock } = deps;
  const { kysely } = db;
  const { accountNo } = session;
  const nowUs = clock.nowUs();
  const token = newId();
  const { wanted } = await readyChange(db, session, { token, asked, nowUs });
  const deviceNos = await devicesOf(db, accountNo, asked, nowUs);
  await catalog.add(actorOf(session), (transaction) =>
    keepPlan(transaction, session, { token, request: JSON.stringify(asked), deviceNos }, nowUs),
  );
  const answer = (changed: number, refused: Outcome['Refused']): Outcome => ({
    Matched: deviceNos.length,
    Changed: changed,
    Refused: refused.slice(0, mostRefused),
    Token: token,
    Done: false,
  });
  if (asked.Delete) {
    const kept = await keptMasters(kysely, deviceNos);
    const ids = await idsOf(kysely, [...kept].slice(0, mostRefused));
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
  wanted: Wanted,
): Promise<{ readonly changed: number; readonly refused: Outcome['Refused'] }> {
  const above = deviceNos.filter((no) => wanted.above.has(no));
  const others = above.length === 0 ? deviceNos : deviceNos.filter((no) => !wanted.above.has(no));
  const judged = judgeAll(await readCandidates(db, above, wanted), wanted);
  let changed = judged.changed.length;
  for (const { devices, ...settings } of await readAlike(db, others, wanted))
    if (judgeDevice({ ...settings, device_no: 0, device_id: '', short_name: '' }, wanted).kind === 'changed')
      changed += devices;
  return { changed, refused: judged.refused };
}
