import { shellWords } from '../plugins/plugin-arguments.ts';
import { type PluginCheck, pluginCheck } from '../plugins/plugin-check.ts';
import type { NagiosFields } from './nagios-objects.ts';

/** The command lines and macros of a configuration. */
export interface NagiosCommands {
  /** Command lines by `command_name`. */
  readonly lines: ReadonlyMap<string, string>;
  /** `$USERn$` by name. */
  readonly macros: Readonly<Record<string, string>>;
}

/** Expands the macros of a `check_command` and maps its plugin. */
export function commandCheck(
  command: string,
  host: NagiosFields,
  service: NagiosFields,
  { lines, macros }: NagiosCommands,
): PluginCheck {
  const [name = '', ...args] = command.split(/(?<!\\)!/);
  // A command that is not defined usually has the name of its plugin.
  const line = lines.get(name) ?? [name, ...args].join(' ');
  const address = host['address'] ?? host['host_name'] ?? '';
  const values = { ...macros, ...macrosOf(host, service, address) };
  for (const [index, value] of args.entries()) values[`ARG${index + 1}`] = value;
  const expand = (text: string) => text.replaceAll(/\$(\w+)\$/g, (_, macro: string) => values[macro] ?? '');
  // An argument may itself contain macros.
  const [program = '', ...words] = shellWords(expand(expand(line)));
  return pluginCheck(program, words, address);
}

function macrosOf(host: NagiosFields, service: NagiosFields, address: string): Record<string, string> {
  const values: Record<string, string> = {
    HOSTADDRESS: address,
    HOSTNAME: host['host_name'] ?? '',
    HOSTALIAS: host['alias'] ?? host['host_name'] ?? '',
    HOSTDISPLAYNAME: host['display_name'] ?? host['host_name'] ?? '',
    SERVICEDESC: service['service_description'] ?? '',
  };
  for (const [kind, fields] of [
    ['HOST', host],
    ['SERVICE', service],
  ] as const)
    for (const [field, value] of Object.entries(fields))
      if (field.startsWith('_')) values[`_${kind}${field.slice(1).toUpperCase()}`] = value;
  return values;
}
