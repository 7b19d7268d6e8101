import type { OperatorAnswers } from '@vantage/domain/operator-commands';

type ListedAlert = OperatorAnswers['alerts.list'][number];

/** The alerts of an account in the form of the operator's command. */
export function showAlerts(
  account: string,
  rows: readonly (Pick<ListedAlert, 'alert_id' | 'kind' | 'state' | 'location' | 'check_result'> & {
    readonly short_name: string | null;
    readonly since_us: number;
  })[],
): OperatorAnswers['alerts.list'] {
  return rows.map(
    ({ alert_id, kind, state, short_name: device, location, since_us: sinceUs, check_result }) => {
      const since = new Date(sinceUs / 1000);
      return { alert_id, account, kind, state, device, location, since, check_result };
    },
  );
}
