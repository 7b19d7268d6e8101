import type { OperatorAnswers, OperatorRequests } from '@vantage/domain/operator-commands';
import { drop } from '../../admin/command-fault.ts';
import type { CommandGroup } from '../../admin/run-command.ts';
import { showAlerts } from '../../admin/show-alerts.ts';
import { acknowledge, listOpenAlerts } from '../../alerts/decide/index.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import { accountNoOf } from './account-no.ts';
import type { Operator } from './operator.ts';

/** The commands on alerts. */
export function alertCommands({ change, clock, name }: Operator): CommandGroup<'alerts'> {
  return {
    'alerts.list': async ({ kysely }, { account }) =>
      showAlerts(account, await listOpenAlerts(kysely, await accountNoOf(kysely, account), clock.nowUs())),
    'alerts.acknowledge': (db, request) =>
      change(db, (transaction) => acknowledgeAlert(transaction, { by: name, nowUs: clock.nowUs() }, request)),
  };
}

/** Acknowledges an alert as the operator, and records the change in the audit. */
async function acknowledgeAlert(
  transaction: ChangeTransaction,
  { by, nowUs }: { readonly by: string; readonly nowUs: number },
  { account, alert_id: alertId, note }: OperatorRequests['alerts.acknowledge'],
): Promise<OperatorAnswers['alerts.acknowledge']> {
  const accountNo = await accountNoOf(transaction.trx, account);
  const { kind } = await acknowledge(transaction.trx, { accountNo, alertId, note, by, nowUs });
  if (kind === 'missing') throw drop('no_alert', `account ${account} has no alert ${alertId}`);
  if (kind === 'closed') throw drop('alert_closed', `the alert ${alertId} is closed: its outage has ended`);
  const fields = [{ field: 'Acknowledged', old: null, new: { By: by, Note: note } }];
  transaction.record({ action: 'update', kind: 'alert', accountNo, id: alertId, fields });
  return { alert_id: alertId, state: 'Acknowledged' };
}
