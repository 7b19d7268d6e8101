import type { Command } from 'commander';
import { accountFilter, type CommandLine } from '../command-line.ts';
import { findAccess, type GivenAccess, isForApi } from '../remote/access.ts';
import { type Resource, resources } from '../remote/resources.ts';
import type { Asked } from '../remote/run-resources.ts';
import { addAccessOptions } from './access-options.ts';
import { defaultAccount, type HostCommands } from './host-commands.ts';

interface FormOptions extends GivenAccess {
  readonly jsonl?: boolean;
  readonly output?: 'csv';
}

/** Options of a command that the operator has on the controller's host, too. */
interface HostOptions extends FormOptions {
  readonly account?: string;
}

/** The parts that the commands of a resource share. */
interface Context {
  readonly resource: Resource;
  readonly host: HostCommands | undefined;
  readonly add: (name: string, about: string) => Command;
  /** Finds the controller, and the form of the answer. */
  readonly ask: (options: FormOptions) => Asked;
}

/**
 * Adds `devices`, `tags` and others with `list`, `get`, `create`, `update` and `delete`, from anywhere. Where a group
 * has commands of the same names on the controller's host, these run unless something names a controller.
 */
export function addResourceCommands(
  { group, asJson }: CommandLine,
  onHost: Readonly<Record<string, HostCommands>>,
): void {
  for (const resource of resources) {
    const own = group(resource.name, resource.about);
    const context: Context = {
      resource,
      host: onHost[resource.name],
      add: (name, about) => addAccessOptions(own.command(name).description(about)),
      ask: ({ jsonl, output, ...given }) => {
        const form = output ?? (jsonl === true ? 'jsonl' : asJson() ? 'json' : 'table');
        return { access: findAccess(given, process.env), resource, form };
      },
    };
    addList(context);
    if (resource.verbs.includes('get')) addGet(context);
    if (resource.verbs.includes('create')) addCreate(context);
    if (resource.verbs.includes('update')) addUpdate(context);
    if (resource.verbs.includes('delete')) addDelete(context);
  }
}

/** Whether the operator's command of this host is meant. */
function isForHost({ account, ...given }: HostOptions): boolean {
  return account !== undefined || !isForApi(given, process.env);
}

function addList({ resource, host, add, ask }: Context): void {
  const { name, isOfDevice = false } = resource;
  const list = add('list', `list ${name}; Name=value narrows the list as the API does`)
    .option('--jsonl', 'a line of JSON for each')
    .option('-o, --output <form>', 'csv');
  const run = async (filters: readonly string[], device: string | undefined, options: HostOptions) => {
    if (host !== undefined && isForHost(options)) return host.list(options);
    const { runList } = await import('../remote/run-resources.ts');
    return runList(ask(options), filters, device);
  };
  if (host !== undefined) list.addOption(accountFilter());
  const filters = ['[filters...]', 'for example Status=Down or Tag=berlin'] as const;
  if (isOfDevice)
    list
      .argument('<device>', 'id, ExternalKey or ShortName')
      .argument(...filters)
      .action((device: string, given: readonly string[], options: HostOptions) =>
        run(given, device, options),
      );
  else
    list
      .argument(...filters)
      .action((given: readonly string[], options: HostOptions) => run(given, undefined, options));
}

/** The ways in which people name one. */
function namedBy({ names }: Resource): string {
  return ['id', ...names].join(', ');
}

function addGet({ resource, add, ask }: Context): void {
  add('get', 'show one with all its settings')
    .argument('<name>', namedBy(resource))
    .action(async (name: string, options: FormOptions) => {
      const { runGet } = await import('../remote/run-resources.ts');
      await runGet(ask(options), name);
    });
}

function addCreate({ host, add, ask }: Context): void {
  const onHost = host?.create;
  const create = add('create', 'create one');
  if (onHost !== undefined) create.addOption(accountFilter());
  const also = onHost === undefined ? '' : "; on the controller's host: its name";
  create
    .argument('<fields...>', `Name=value by the names of the API; Options.Count=3 reaches inside${also}`)
    .action(async (fields: readonly string[], options: HostOptions) => {
      if (onHost !== undefined && isForHost(options))
        return onHost(fields.join(' '), options.account ?? defaultAccount);
      const { runCreate } = await import('../remote/run-resources.ts');
      return runCreate(ask(options), fields);
    });
}

function addUpdate({ resource, add, ask }: Context): void {
  add('update', 'change fields of one')
    .argument('<name>', namedBy(resource))
    .argument('<fields...>', 'Name=value by the names of the API; null sets the default')
    .action(async (name: string, fields: readonly string[], options: FormOptions) => {
      const { runUpdate } = await import('../remote/run-resources.ts');
      await runUpdate(ask(options), name, fields);
    });
}

function addDelete({ resource, add, ask }: Context): void {
  add('delete', 'delete one')
    .argument('<name>', namedBy(resource))
    .action(async (name: string, options: FormOptions) => {
      const { runDelete } = await import('../remote/run-resources.ts');
      await runDelete(ask(options), name);
    });
}
