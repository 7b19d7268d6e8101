import { Fault } from '@vantage/kernel';
import { Option } from 'commander';
import { type CommandLine, jsonOption } from '../command-line.ts';
import { print, printText } from '../print-answer.ts';
import { type SizedMethod, sizedMethods } from '../sizing/sizing-model.ts';

export function addSizeCommand({ program, asJson }: CommandLine): void {
  program
    .command('size')
    .description('estimate the cores, memory and disk for a number of devices')
    .requiredOption('--devices <count>', 'number of devices')
    .option('--interval <seconds>', 'seconds between two checks of a device', '60')
    .option('--retention <days>', 'days that single checks are kept', '35')
    .option('--agents <count>', 'number of agents', '1')
    .addOption(
      new Option('--method <method>', 'Method of the checks').choices([...sizedMethods]).default('HTTP'),
    )
    .option(...jsonOption(program, 'answer as JSON'))
    .action(async (options: Readonly<Record<string, string>> & { readonly method: SizedMethod }) => {
      const { sizeOf } = await import('../sizing/sizing-model.ts');
      const { showSize } = await import('../sizing/show-size.ts');
      const load = {
        devices: numberOf(options, 'devices', 10_000_000),
        intervalS: numberOf(options, 'interval', 3_600),
        retentionDays: numberOf(options, 'retention', 4_000),
        agents: numberOf(options, 'agents', 100_000),
        method: options.method,
      };
      if (asJson()) print({ ...load, ...sizeOf(load) }, true);
      else printText(showSize(load));
    });
}

function numberOf(options: Readonly<Record<string, string>>, name: string, max: number): number {
  const text = options[name] ?? '';
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > max)
    throw new Fault(
      'stop',
      'settings',
      `--${name} must be a whole number from 1 to ${max}, but is ${JSON.stringify(text)}`,
    );
  return value;
}
