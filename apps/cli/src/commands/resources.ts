import type { Command } from 'commander';
import type { CommandLine } from '../command-line.ts';
import type { GivenAccess } from '../remote/access.ts';
import { type Resource, resources } from '../remote/resources.ts';
import { addAccessOptions } from './access-options.ts';

interface FormOptions extends GivenAccess {
  readonly jsonl?: boolean;
  readonly output?: 'csv';
}

/** Adds `devices`, `tags` and others with `list`, `get`, `create`, `update` and `delete`, from anywhere. */
export function addResourceCommands(commandLine: CommandLine): void {
  for (const resource of resources) addResource(commandLine, resource);
}

function addResource({ group, asJson }: CommandLine, resource: Resource): void {
  const own = group(resource.name, resource.about);
  const ask = async ({ jsonl, output, ...given }: FormOptions) => {
    const { findAccess } = await import('../remote/access.ts');
    const form = output ?? (jsonl === true ? 'jsonl' : asJson() ? 'json' : 'table');
    return { access: findAccess(given, process.env), resource, form } as const;
  };
  const add = (name: string, about: string): Command =>
    addAccessOptions(own.command(name).description(about));
  const named = ['id', ...resource.names].join(', ');
  add('list', `list ${resource.name}; Name=value narrows the list as the API does`)
    .argument('[filters...]', 'for example Status=Down or Tag=berlin')
    .option('--jsonl', 'a line of JSON for each')
    .option('-o, --output <form>', 'csv')
    .action(async (filters: readonly string[], options: FormOptions) => {
      const { runList } = await import('../remote/run-resources.ts');
      await runList(await ask(options), filters);
    });
  add('get', 'show one with all its settings')
    .argument('<name>', named)
    .action(async (name: string, options: FormOptions) => {
      const { runGet } = await import('../remote/run-resources.ts');
      await runGet(await ask(options), name);
    });
  if (!resource.isWritable) return;
  add('create', 'create one')
    .argument('<fields...>', 'Name=value by the names of the API; Options.Count=3 reaches inside')
    .action(async (fields: readonly string[], options: FormOptions) => {
      const { runCreate } = await import('../remote/run-resources.ts');
      await runCreate(await ask(options), fields);
    });
  add('update', 'change fields of one')
    .argument('<name>', named)
    .argument('<fields...>', 'Name=value by the names of the API; null sets the default')
    .action(async (name: string, fields: readonly string[], options: FormOptions) => {
      const { runUpdate } = await import('../remote/run-resources.ts');
      await runUpdate(await ask(options), name, fields);
    });
  add('delete', 'delete one')
    .argument('<name>', named)
    .action(async (name: string, options: FormOptions) => {
      const { runDelete } = await import('../remote/run-resources.ts');
      await runDelete(await ask(options), name);
    });
}
