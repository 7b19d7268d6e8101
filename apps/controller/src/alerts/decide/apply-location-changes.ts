import { newAlertState } from '@vantage/alerts';
import { add, type ChangeSet, end, hasNotEnded } from './change-set.ts';
import type { AlertChange } from './changes.ts';
import { alertKey } from './open-alert.ts';

export function applyLocation(
  change: Extract<AlertChange, { kind: 'offline' | 'online' | 'fenced' }>,
  changeSet: ChangeSet,
): void {
  const { nowUs, alerts } = changeSet;
  const { accountNo, locationNo, sinceUs, facts } = change;
  const origin = { accountNo, device: null, locationNo, agentNo: null, severity: 'critical' as const };
  const present = alerts.get(`location.offline/location/${locationNo}`);
  const state = newAlertState('active', nowUs);
  if (change.kind === 'fenced')
    add({ ...origin, kind: 'agent.fenced', sinceUs, state, opening: facts }, changeSet);
  else if (change.kind === 'offline' && !hasNotEnded(present))
    add({ ...origin, kind: 'location.offline', sinceUs, state, opening: facts }, changeSet);
  else if (change.kind === 'online' && hasNotEnded(present)) end(present, facts, changeSet);
}

export function applyAnchor(
  change: Extract<AlertChange, { kind: 'anchor-down' | 'anchor-up' }>,
  changeSet: ChangeSet,
): void {
  const { accountNo, locationNo, sinceUs, facts } = change;
  const origin = { kind: 'anchor.down', accountNo, device: null, locationNo, agentNo: null } as const;
  const present = changeSet.alerts.get(alertKey({ ...origin, opening: facts }));
  if (change.kind === 'anchor-down' && !hasNotEnded(present)) {
    const state = newAlertState('active', changeSet.nowUs);
    add({ ...origin, severity: 'critical', sinceUs, state, opening: facts }, changeSet);
  } else if (change.kind === 'anchor-up' && hasNotEnded(present)) end(present, facts, changeSet);
}
