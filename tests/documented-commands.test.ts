import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createAllCommands } from '../apps/cli/src/all-commands.ts';

type CliCommand = ReturnType<typeof createAllCommands>['program'];

const root = path.resolve(import.meta.dirname, '..');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];
const { program } = createAllCommands();

/** Every command of a page: in code, and at the beginning of a line of a block. A bar of a table is `\|`. */
function commandsOf(text: string): readonly string[] {
  const inCode = [...text.matchAll(/`((?:\.\/)?vantage [^`]+)`/g)].map(([, code = '']) => code);
  const blocks = [...text.matchAll(/^```(?:sh|yaml)\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    [...block.matchAll(/(?:^|[|$(]|run:|script:)\s*((?:\.\/)?vantage .*)/gm)].map(([, line = '']) => line),
  );
  return [...inCode, ...blocks];
}

/** The words of a command up to a comment, a pipe or the next command. What stands in brackets may be left out. */
function wordsOf(command: string): readonly string[] {
  const [own = ''] = command.split(/\s#|[^\\]\||&&|>|;|\)/);
  return own
    .replace(/[[\]]/g, ' ')
    .split(/\s+/)
    .slice(1)
    .filter((word) => word !== '');
}

const alternativesOf = (word: string) => word.split('\\|');

function takesOption(command: CliCommand, name: string): boolean {
  for (let at: CliCommand | null = command; at !== null; at = at.parent)
    if (at.options.some(({ long, short }) => long === name || short === name)) return true;
  return ['--help', '-h'].includes(name);
}

/** `vantage service` is of the package's own script, whose usage has a line for each of its commands. */
const packageUsage = readFileSync(path.join(root, 'agent-installer/controller/vantage'), 'utf8');

/** The part of the words that no command or option of the program has; undefined: it has all. */
function unknownIn(words: readonly string[]): string | undefined {
  const [group, ofService = ''] = words;
  if (group === 'service')
    return new RegExp(`^  (.*, )?${ofService}\\b`, 'm').test(packageUsage) ? undefined : ofService;
  let commands: readonly CliCommand[] = [program];
  for (const word of words) {
    if (word.startsWith('-')) {
      const names = alternativesOf(word).map((each) => each.split('=')[0] ?? '');
      const unknown = names.find((name) => !commands.some((command) => takesOption(command, name)));
      if (unknown !== undefined) return unknown;
      continue;
    }
    // Words in capitals stand for what the reader writes.
    if (word === 'help' || word === 'COMMAND') return undefined;
    if (!commands.some((command) => command.commands.length > 0)) continue;
    const named = alternativesOf(word).map((name) => [name, childrenNamed(commands, name)] as const);
    const missing = named.find(([, found]) => found.length === 0);
    if (missing !== undefined) return missing[0];
    commands = named.flatMap(([, found]) => found);
  }
  return undefined;
}

function childrenNamed(commands: readonly CliCommand[], name: string): readonly CliCommand[] {
  return commands.flatMap((command) =>
    command.commands.filter((each) => each.name() === name || each.aliases().includes(name)),
  );
}

test.each(pages)('%s names commands and options that the program has', (page) => {
  const commands = commandsOf(readFileSync(path.join(root, page), 'utf8'));
  const unknown = commands.flatMap((command) => {
    const word = unknownIn(wordsOf(command));
    return word === undefined ? [] : [`${command}: ${word}`];
  });
  expect(unknown).toEqual([]);
});

test('a command and an option that the program lacks are found', () => {
  expect(commandsOf('`./vantage agents list`\n```sh\nx | ./vantage nothing # y\n```')).toEqual([
    './vantage agents list',
    './vantage nothing # y',
  ]);
  expect(unknownIn(wordsOf('./vantage agents list\\|nothing'))).toBe('nothing');
  expect(unknownIn(wordsOf('vantage service nothing'))).toBe('nothing');
  expect(unknownIn(wordsOf('./vantage logs [--agent\\|--nothing] [--since 30m]'))).toBe('--nothing');
});
