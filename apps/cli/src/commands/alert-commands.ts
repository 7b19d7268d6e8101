import { accountOption, type CommandLine } from '../command-line.ts';
import { defaultAccount, type HostCommands } from './host-commands.ts';

/** Adds `alerts acknowledge`. Returns `alerts list` for the controller's host. */
export function addAlertCommands({ group, answer }: CommandLine): HostCommands {
  const alerts = group('alerts', 'alerts, the decisions to notify people');
  alerts
    .command('acknowledge <alert_id>')
    .description(
      'acknowledge an alert: no repeats and no further steps; the message about its end is still sent',
    )
    .addOption(accountOption())
    .option('--note <text>', 'a note for the others')
    .action((alert_id: string, { account, note = null }: { account: string; note?: string | null }) =>
      answer((admin) => admin('alerts.acknowledge', { account, alert_id, note })),
    );
  return {
    list: ({ account = defaultAccount }) => answer((admin) => admin('alerts.list', { account })),
  };
}
