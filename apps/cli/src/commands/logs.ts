import path from 'node:path';
import { Option } from 'commander';
import { type CommandLine, jsonOption, readSettings } from '../command-line.ts';
import type { Part } from '../part.ts';
import type { GivenAccess } from '../remote/access.ts';
import { addAccessOptions } from './access-options.ts';

/** Without `--since`, so many of the last lines are shown. */
const lastLines = 200;

interface LogOptions extends GivenAccess {
  readonly agent?: true;
  readonly controller?: true;
  readonly device?: string;
  readonly since?: string;
}

/** Adds `logs`. */
export function addLogsCommand({ program, asJson }: CommandLine): void {
  const logs = program
    .command('logs')
    .description('the logs of this machine with local time, those of all parts together')
    .addOption(new Option('--controller', "the controller's log only").conflicts('agent'))
    .option('--agent', "the agent's log only")
    .option('--device <name>', 'what is about this device, and its events: id, ExternalKey or ShortName')
    .option('--since <time>', `30m, 2h, 7d or 2026-03-01T10:00 (default: the last ${lastLines} lines)`)
    .option(...jsonOption(program, 'the lines as they are: JSON, with the time in UTC'));
  addAccessOptions(logs).action(async ({ agent, controller, device, since, ...given }: LogOptions) => {
    const [{ runLogs, sinceMs }, { findAccess }] = await Promise.all([
      import('../logs/run-logs.ts'),
      import('../remote/access.ts'),
    ]);
    const parts: Part[] = agent ? ['agent'] : controller ? ['controller'] : ['controller', 'agent'];
    await runLogs({
      parts,
      dataDir: path.resolve(readSettings().given['VANTAGE_DATA'] ?? 'data'),
      asJson: asJson(),
      fromMs: since === undefined ? 0 : sinceMs(since, Date.now()),
      most: since === undefined ? lastLines : Number.POSITIVE_INFINITY,
      device: device === undefined ? undefined : { access: findAccess(given, process.env), name: device },
    });
  });
}
