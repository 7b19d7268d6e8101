import { Argument, Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { candidatesFor } from './candidates.ts';

function createProgram(): Command {
  const program = new Command('vantage').option('--json');
  const devices = program.command('devices');
  devices
    .command('list')
    .option('--limit <count>')
    .addOption(new Option('-o, --output <form>').choices(['csv', 'json']));
  devices.command('get').argument('<name>').option('--server <url>');
  program.command('check').argument('<device>').option('--note <text>').option('--device <name>');
  program.command('maintenance').command('start').argument('<target>').argument('<duration>');
  program.command('completion').addArgument(new Argument('<shell>').choices(['bash', 'zsh']));
  program.command('secret', { hidden: true });
  return program;
}
const at = (...words: string[]) => candidatesFor(createProgram(), words);

test.each<[string[], readonly string[], readonly string[]]>([
  [[''], ['devices', 'check', 'maintenance', 'completion', 'help'], []],
  [['devices', ''], ['list', 'get', 'help'], []],
  [['devices', 'list', '-'], ['--limit', '--output', '--help'], []],
  [['devices', 'list', '--output', ''], ['csv', 'json'], []],
  [['devices', 'list', '--limit', ''], [], []],
  [['devices', 'list', '--limit=3', '-'], ['--limit', '--output', '--help'], []],
  [['devices', 'get', ''], [], ['device']],
  [['devices', 'get', 'web', ''], [], []],
  [['devices', 'get', '--server', 'https://h', 'w'], [], ['device']],
  [['--json', 'check', ''], [], ['device']],
  [['check', '--device', ''], [], ['device']],
  [['maintenance', 'start', ''], [], ['device', 'tag']],
  [['maintenance', 'start', 'web', ''], [], []],
  [['completion', ''], ['bash', 'zsh'], []],
  [['unknown', 'words', ''], [], []],
  [[], ['devices', 'check', 'maintenance', 'completion', 'help'], []],
])('after %j come %j and names of %j', (words, expected, names) => {
  expect(at(...words)).toEqual({ words: expected, names });
});
