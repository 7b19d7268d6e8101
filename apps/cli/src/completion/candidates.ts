import type { Command, Option } from 'commander';
import { connect } from '../remote/api-connection.ts';
import { findAccess } from '../remote/find-access.ts';

/** Kinds of resources with names that an argument may have. */
type CompletedKind = 'device' | 'tag';

/** The words that are possible at the cursor. */
export interface Candidates {
  readonly words: readonly string[];
  /** Names of these resources are possible, too. */
  readonly names: readonly CompletedKind[];
}

const nothing: Candidates = { words: [], names: [] };

/** By the name of an argument in the usage. */
const argumentNames: Readonly<Record<string, readonly CompletedKind[]>> = {
  device: ['device'],
  alert: ['device'],
  target: ['device', 'tag'],
};
/** For `get`, `update` and `delete` of a group. */
const groupNames: Readonly<Record<string, readonly CompletedKind[]>> = {
  devices: ['device'],
  tags: ['tag'],
  uptime: ['device'],
};

/**
 * The candidates for the last of `words`, which follow the program's name. Its first letters do not matter here. Pure.
 */
export function candidatesFor(program: Command, words: readonly string[]): Candidates {
  const current = words.at(-1) ?? '';
  let command = program;
  let argumentIndex = 0;
  let openOption: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (openOption !== undefined) {
      openOption = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = optionOf(command, word);
      openOption = option?.required === true && !word.includes('=') ? option : undefined;
      continue;
    }
    const next = command.commands.find(
      (subcommand) => subcommand.name() === word || subcommand.aliases().includes(word),
    );
    if (next === undefined) argumentIndex += 1;
    else command = next;
  }
  if (openOption !== undefined)
    return { words: openOption.argChoices ?? [], names: namesOfOption(openOption) };
  if (current.startsWith('-')) return { words: optionsOf(command), names: [] };
  const subcommands = shownCommands(command);
  if (subcommands.length > 0) return argumentIndex === 0 ? { words: subcommands, names: [] } : nothing;
  const { registeredArguments } = command;
  const argument = registeredArguments[argumentIndex] ?? registeredArguments.find(({ variadic }) => variadic);
  if (argument === undefined) return nothing;
  return {
    words: argument.argChoices ?? [],
    names: argumentNames[argument.name()] ?? (argument.name() === 'name' ? namesOfGroup(command) : []),
  };
}

function optionOf(command: Command, word: string): Option | undefined {
  const name = word.split('=')[0];
  for (let parent: Command | null = command; parent !== null; parent = parent.parent) {
    const found = parent.options.find(({ long, short }) => long === name || short === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function optionsOf(command: Command): readonly string[] {
  const visible = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []);
  return [...visible, '--help'];
}

function shownCommands(command: Command): readonly string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((subcommand) => subcommand.name());
}

function namesOfOption({ long }: Option): readonly CompletedKind[] {
  return long === '--tag' ? ['tag'] : long === '--device' ? ['device'] : [];
}

function namesOfGroup({ parent }: Command): readonly CompletedKind[] {
  return groupNames[parent?.name() ?? ''] ?? [];
}

/** The longest wait for names of a controller. */
const maxWaitMs = 1_500;
const maxNames = 200;

/** Names that contain `prefix`, from the controller that commands would use; none where it does not answer soon. */
export async function knownNames(
  kinds: readonly CompletedKind[],
  prefix: string,
): Promise<readonly string[]> {
  if (kinds.length === 0) return [];
  const limit = new Promise<string[]>((resolve) => void setTimeout(resolve, maxWaitMs, []).unref());
  const lists = kinds.map((kind) => Promise.race([read(kind, prefix).catch(() => []), limit]));
  return (await Promise.all(lists)).flat();
}

async function read(kind: CompletedKind, prefix: string): Promise<readonly string[]> {
  using connection = connect(findAccess({}, process.env));
  const { client } = connection;
  if (kind === 'tag') {
    const { data = [] } = await client.GET('/tags', { params: { query: { Limit: 100 } } });
    return data.map(({ Name }) => Name);
  }
  const query = { Limit: maxNames, ...(prefix === '' ? {} : { Search: prefix }) };
  const { data = [] } = await client.GET('/states', { params: { query } });
  return data.flatMap((row) =>
    'ShortName' in row && typeof row.ShortName === 'string' ? [row.ShortName] : [],
  );
}
