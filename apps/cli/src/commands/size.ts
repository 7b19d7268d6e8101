import { Fault } from '@vantage/kernel';
import { Option } from 'commander';
import { type CommandLine, jsonOption } from '../command-line.ts';
import { print, printText } from '../output.ts';
import { type SizedMethod, sizedMethods } from '../sizing/model.ts';

/** Adds `size`: the hardware that a number of devices needs. */
export function addSizeCommand({ program, asJson }: CommandLine): void {
  program
    .command('size')
    .description('the cores, memory and disk that a number of devices needs')
    .requiredOption('--devices <count>', 'how many devices')
    .option('--interval <seconds>', 'seconds between two checks of a device', '60')
    .option('--retention <days>', 'days that single checks are kept', '35')
    .option('--agents <count>', 'how many agents run them', '1')
    .addOption(
      new Option('--method <method>', 'Method of the checks').choices([...sizedMethods]).default('HTTP'),
    )
    .option(...jsonOption(program, 'answer as JSON'))
    .action(async (given: Readonly<Record<string, string>> & { readonly method: SizedMethod }) => {
      const { sizeOf } = await import('../sizing/model.ts');
      const { showSize } = await import('../sizing/show-size.ts');
      const load = {
        devices: numberOf(given, 'devices', 10_000_000),
        intervalS: numberOf(given, 'interval', 3_600),
        retentionDays: numberOf(given, 'retention', 4_000),
        agents: numberOf(given, 'agents', 100_000),
        method: given.method,
      };
      if (asJson()) print({ ...load, ...sizeOf(load) }, true);
      else printText(showSize(load));
    });
}

function numberOf(given: Readonly<Record<string, string>>, name: string, most: number): number {
  const text = given[name] ?? '';
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > most)
    throw new Fault(
      'stop',
      'settings',
      `--${name} must be a whole number from 1 to ${most}, but ${JSON.stringify(text)} was given`,
    );
  return value;
}
