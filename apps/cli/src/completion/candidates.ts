import type { Command, Option } from 'commander';
import { findAccess } from '../remote/access.ts';
import { connect } from '../remote/connection.ts';

/** Names that a controller knows, for an argument. */
type NameKind = 'device' | 'tag';

/** The words that may stand where the cursor is. */
export interface Candidates {
  readonly words: readonly string[];
  /** Names of things that may stand there, too. */
  readonly names: readonly NameKind[];
}

const nothing: Candidates = { words: [], names: [] };

/** The things that an argument of a command names, by its name in the usage. */
const argumentNames: Readonly<Record<string, readonly NameKind[]>> = {
  device: ['device'],
  alert: ['device'],
  target: ['device', 'tag'],
};
/** The things that `get`, `update` and `delete` of a group name. */
const groupNames: Readonly<Record<string, readonly NameKind[]>> = {
  devices: ['device'],
  tags: ['tag'],
  uptime: ['device'],
};

/**
 * The candidates for the last of `words`, which follow the program's name. They are not narrowed to those that begin as
 * it does. Pure.
 */
export function candidatesFor(program: Command, words: readonly string[]): Candidates {
  const current = words.at(-1) ?? '';
  let command = program;
  let place = 0;
  let waiting: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (waiting !== undefined) {
      waiting = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = optionOf(command, word);
      waiting = option?.required === true && !word.includes('=') ? option : undefined;
      continue;
    }
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (next === undefined) place += 1;
    else command = next;
  }
  if (waiting !== undefined) return { words: waiting.argChoices ?? [], names: namesOfOption(waiting) };
  if (current.startsWith('-')) return { words: optionsOf(command), names: [] };
  const subcommands = shownCommands(command);
  if (subcommands.length > 0) return place === 0 ? { words: subcommands, names: [] } : nothing;
  const { registeredArguments } = command;
  const argument = registeredArguments[place] ?? registeredArguments.find(({ variadic }) => variadic);
  if (argument === undefined) return nothing;
  return {
    words: argument.argChoices ?? [],
    names: argumentNames[argument.name()] ?? (argument.name() === 'name' ? namesOfGroup(command) : []),
  };
}

function optionOf(command: Command, word: string): Option | undefined {
  const name = word.split('=')[0];
  for (let at: Command | null = command; at !== null; at = at.parent) {
    const found = at.options.find(({ long, short }) => long === name || short === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function optionsOf(command: Command): readonly string[] {
  const own = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []);
  return [...own, '--help'];
}

function shownCommands(command: Command): readonly string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => each.name());
}

function namesOfOption({ long }: Option): readonly NameKind[] {
  return long === '--tag' ? ['tag'] : long === '--device' ? ['device'] : [];
}

function namesOfGroup({ parent }: Command): readonly NameKind[] {
  return groupNames[parent?.name() ?? ''] ?? [];
}

/** Nobody waits longer for a candidate. */
const longestMs = 1_500;
const most = 200;

/** Names that begin as `prefix` does, of the controller that commands would use; none where it does not answer soon. */
export async function knownNames(kinds: readonly NameKind[], prefix: string): Promise<readonly string[]> {
  if (kinds.length === 0) return [];
  const limit = new Promise<string[]>((resolve) => void setTimeout(resolve, longestMs, []).unref());
  const all = kinds.map((kind) => Promise.race([read(kind, prefix).catch(() => []), limit]));
  return (await Promise.all(all)).flat();
}

async function read(kind: NameKind, prefix: string): Promise<readonly string[]> {
  using connection = connect(findAccess({}, process.env));
  const { client } = connection;
  if (kind === 'tag') {
    const { data = [] } = await client.GET('/tags', { params: { query: { Limit: 100 } } });
    return data.map(({ Name }) => Name);
  }
  const query = { Limit: most, ...(prefix === '' ? {} : { Search: prefix }) };
  const { data = [] } = await client.GET('/states', { params: { query } });
  return data.flatMap((row) =>
    'ShortName' in row && typeof row.ShortName === 'string' ? [row.ShortName] : [],
  );
}
