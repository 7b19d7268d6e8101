import path from 'node:path';
import { Option } from 'commander';
import { type CommandLine, jsonOption, readSettings } from '../command-line.ts';
import type { SystemPart } from '../program-part.ts';
import type { AccessOptions } from '../remote/find-access.ts';
import { addAccessOptions } from './access-options.ts';

/** The lines that are shown without `--since`. */
const defaultLines = 200;

interface LogOptions extends AccessOptions {
  readonly agent?: true;
  readonly controller?: true;
  readonly device?: string;
  readonly since?: string;
}

export function addLogsCommand({ program, asJson }: CommandLine): void {
  const logs = program
    .command('logs')
    .description('show the logs of this machine with local time, all parts together')
    .addOption(new Option('--controller', "the controller's log only").conflicts('agent'))
    .option('--agent', "the agent's log only")
    .option('--device <name>', 'only lines about this device, and its events: id, ExternalKey or ShortName')
    .option('--since <time>', `30m, 2h, 7d or 2026-03-01T10:00 (default: the last ${defaultLines} lines)`)
    .option(...jsonOption(program, 'the original lines: JSON, with the time in UTC'));
  addAccessOptions(logs).action(
    async ({ agent, controller, device, since, ...accessOptions }: LogOptions) => {
      const [{ runLogs, sinceMs }, { findAccess }] = await Promise.all([
        import('../logs/run-logs.ts'),
        import('../remote/find-access.ts'),
      ]);
      const parts: SystemPart[] = agent ? ['agent'] : controller ? ['controller'] : ['controller', 'agent'];
      await runLogs({
        parts,
        dataDir: path.resolve(readSettings().given['VANTAGE_DATA'] ?? 'data'),
        asJson: asJson(),
        fromMs: since === undefined ? 0 : sinceMs(since, Date.now()),
        maxLines: since === undefined ? defaultLines : Number.POSITIVE_INFINITY,
        device:
          device === undefined ? undefined : { access: findAccess(accessOptions, process.env), name: device },
      });
    },
  );
}
