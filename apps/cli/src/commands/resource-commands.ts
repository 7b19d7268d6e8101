import type { Command } from 'commander';
import { accountFilter, type CommandLine } from '../command-line.ts';
import { type ApiResource, resources } from '../remote/api-resources.ts';
import { type AccessOptions, findAccess, isForApi } from '../remote/find-access.ts';
import type { ResourceRequest } from '../remote/run-resources.ts';
import { addAccessOptions } from './access-options.ts';
import { defaultAccount, type HostCommands } from './host-commands.ts';

interface FormOptions extends AccessOptions {
  readonly jsonl?: boolean;
  readonly output?: 'csv';
}

/** Options of a command that also exists on the controller's host. */
interface HostOptions extends FormOptions {
  readonly account?: string;
}

/** The common parts of the commands of a resource. */
interface ResourceCommands {
  readonly resource: ApiResource;
  readonly host: HostCommands | undefined;
  readonly add: (name: string, description: string) => Command;
  /** Finds the controller and the format of the answer. */
  readonly requestOf: (options: FormOptions) => ResourceRequest;
}

/**
 * Adds `devices`, `tags` and others with `list`, `get`, `create`, `update` and `delete`, from anywhere. Commands in
 * `onHost` run instead on the controller's host, unless an option or setting names a controller.
 */
export function addResourceCommands(
  { group, asJson }: CommandLine,
  onHost: Readonly<Record<string, HostCommands>>,
): void {
  for (const resource of resources) {
    const commands = group(resource.name, resource.description);
    const context: ResourceCommands = {
      resource,
      host: onHost[resource.name],
      add: (name, description) => addAccessOptions(commands.command(name).description(description)),
      requestOf: ({ jsonl, output, ...accessOptions }) => {
        const form = output ?? (jsonl === true ? 'jsonl' : asJson() ? 'json' : 'table');
        return { access: findAccess(accessOptions, process.env), resource, form };
      },
    };
    addList(context);
    if (resource.verbs.includes('get')) addGet(context);
    if (resource.verbs.includes('create')) addCreate(context);
    if (resource.verbs.includes('update')) addUpdate(context);
    if (resource.verbs.includes('delete')) addDelete(context);
  }
}

function isForHost({ account, ...accessOptions }: HostOptions): boolean {
  return account !== undefined || !isForApi(accessOptions, process.env);
}

function addList({ resource, host, add, requestOf }: ResourceCommands): void {
  const { name, isOfDevice = false } = resource;
  const list = add('list', `list ${name}; Name=value filters the list as the API does`)
    .option('--jsonl', 'a line of JSON for each')
    .option('-o, --output <form>', 'csv');
  const run = async (filters: readonly string[], device: string | undefined, options: HostOptions) => {
    if (host !== undefined && isForHost(options)) return host.list(options);
    const { runList } = await import('../remote/run-resources.ts');
    return runList(requestOf(options), filters, device);
  };
  if (host !== undefined) list.addOption(accountFilter());
  const filtersArgument = ['[filters...]', 'for example Status=Down or Tag=berlin'] as const;
  if (isOfDevice)
    list
      .argument('<device>', 'id, ExternalKey or ShortName')
      .argument(...filtersArgument)
      .action((device: string, filters: readonly string[], options: HostOptions) =>
        run(filters, device, options),
      );
  else
    list
      .argument(...filtersArgument)
      .action((filters: readonly string[], options: HostOptions) => run(filters, undefined, options));
}

function nameFields({ names }: ApiResource): string {
  return ['id', ...names].join(', ');
}

function addGet({ resource, add, requestOf }: ResourceCommands): void {
  add('get', 'show one with all its settings')
    .argument('<name>', nameFields(resource))
    .action(async (name: string, options: FormOptions) => {
      const { runGet } = await import('../remote/run-resources.ts');
      await runGet(requestOf(options), name);
    });
}

function addCreate({ host, add, requestOf }: ResourceCommands): void {
  const onHost = host?.create;
  const create = add('create', 'create one');
  if (onHost !== undefined) create.addOption(accountFilter());
  const hostHint = onHost === undefined ? '' : "; on the controller's host: its name";
  create
    .argument('<fields...>', `Name=value by the names of the API; Options.Count=3 reaches inside${hostHint}`)
    .action(async (fields: readonly string[], options: HostOptions) => {
      if (onHost !== undefined && isForHost(options))
        return onHost(fields.join(' '), options.account ?? defaultAccount);
      const { runCreate } = await import('../remote/run-resources.ts');
      return runCreate(requestOf(options), fields);
    });
}

function addUpdate({ resource, add, requestOf }: ResourceCommands): void {
  add('update', 'change fields of one')
    .argument('<name>', nameFields(resource))
    .argument('<fields...>', 'Name=value by the names of the API; null sets the default')
    .action(async (name: string, fields: readonly string[], options: FormOptions) => {
      const { runUpdate } = await import('../remote/run-resources.ts');
      await runUpdate(requestOf(options), name, fields);
    });
}

function addDelete({ resource, add, requestOf }: ResourceCommands): void {
  add('delete', 'delete one')
    .argument('<name>', nameFields(resource))
    .action(async (name: string, options: FormOptions) => {
      const { runDelete } = await import('../remote/run-resources.ts');
      await runDelete(requestOf(options), name);
    });
}
