import { accountOption, type CommandLine } from '../command-line.ts';

/** Adds `alerts list` and `alerts acknowledge`. */
export function addAlertCommands({ group, answer }: CommandLine): void {
  const alerts = group('alerts', 'alerts, the decisions to notify people');
  alerts
    .command('list')
    .description('list the alerts that are not closed')
    .addOption(accountOption())
    .action(({ account }: { account: string }) => answer((admin) => admin('alerts.list', { account })));
  alerts
    .command('acknowledge <alert_id>')
    .description(
      'acknowledge an alert: no repeats and no further steps; the message that it is over still goes out',
    )
    .addOption(accountOption())
    .option('--note <text>', 'a note for the others')
    .action((alert_id: string, { account, note = null }: { account: string; note?: string | null }) =>
      answer((admin) => admin('alerts.acknowledge', { account, alert_id, note })),
    );
}
