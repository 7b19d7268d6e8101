import { collector, type FoundCheck, type Reading } from '../found.ts';
import { mostThings, parseJson, readText, unreadable } from '../input.ts';
import { pluginCheck } from '../plugins/plugin-target.ts';
import { listOf, numberOf, recordOf, textOf, truthOf } from '../values.ts';
import { commandWords } from './commands.ts';

const accepts =
  "answers of Icinga 2's API as JSON: /v1/objects/hosts, /v1/objects/services, /v1/objects/dependencies";

type Fields = Readonly<Record<string, unknown>>;

/** Reads objects of Icinga 2, from one file or several. */
export function readIcinga(files: readonly string[]): Reading {
  const objects = files.flatMap((file) => {
    const results = recordOf(parseJson(readText(file), file, accepts))?.['results'];
    if (!Array.isArray(results)) throw unreadable(`${file} has no list results; accepted is ${accepts}`);
    return results.map((each: unknown, at) => ({
      at: `results[${at}]`,
      type: textOf(recordOf(each)?.['type']),
      attrs: recordOf(recordOf(each)?.['attrs']) ?? {},
    }));
  });
  if (objects.length > mostThings) throw unreadable(`there are more than ${mostThings} objects; split them`);
  const hosts = new Map(
    objects.flatMap(({ type, attrs }) =>
      type === 'Host' ? [[textOf(attrs['name']) ?? '', attrs] as const] : [],
    ),
  );
  const masters = new Map<string, string>();
  for (const { type, attrs } of objects) {
    const child = textOf(attrs['child_host_name']);
    const parent = textOf(attrs['parent_host_name']);
    const whole = textOf(attrs['child_service_name']) === undefined;
    if (type === 'Dependency' && whole && child !== undefined && parent !== undefined && !masters.has(child))
      masters.set(child, parent);
  }
  const into = collector();
  for (const { at, type, attrs } of objects) {
    if (type === 'Host')
      add(
        {
          at,
          attrs,
          host: attrs,
          name: textOf(attrs['name']) ?? '',
          master: masters.get(textOf(attrs['name']) ?? ''),
        },
        into,
      );
    else if (type === 'Service') addService(at, attrs, hosts, into);
  }
  const others = Map.groupBy(
    objects.filter(({ type }) => type !== 'Host' && type !== 'Service' && type !== 'Dependency'),
    ({ type }) => type,
  );
  return {
    ...into,
    things: 'hosts and services',
    ignored: [...others].map(([type, list]) => `not carried over: ${list.length} ${type} objects`),
  };
}

function addService(
  at: string,
  attrs: Fields,
  hosts: ReadonlyMap<string, Fields>,
  into: ReturnType<typeof collector>,
): void {
  const hostName = textOf(attrs['host_name']) ?? '';
  const name = `${hostName}!${textOf(attrs['name']) ?? ''}`;
  const host = hosts.get(hostName);
  if (host === undefined)
    return void into.refused.push({
      at,
      name,
      text: `is a service of the host ${JSON.stringify(hostName)}, which is not in the files`,
    });
  add({ at, attrs, host, name, master: hostName }, into);
}

interface One {
  readonly at: string;
  readonly attrs: Fields;
  readonly host: Fields;
  readonly name: string;
  readonly master: string | undefined;
}

function add({ at, attrs, host, name, master }: One, into: ReturnType<typeof collector>): void {
  const vars = { ...recordOf(host['vars']), ...recordOf(attrs['vars']) };
  const address = textOf(host['address']) ?? textOf(host['address6']) ?? textOf(host['name']) ?? '';
  const [program, words] = commandWords(textOf(attrs['check_command']) ?? '', vars, textOf(host['address6']));
  // The library gives check_http the host's address beside the virtual host.
  const asked = program === 'check_http' && !words.includes('-I') ? [...words, '-I', address] : words;
  const { target, timeoutSeconds } = pluginCheck(program, asked, address);
  if (typeof target === 'string') return void into.refused.push({ at, name, text: target });
  const shown = textOf(attrs['display_name']);
  const groups = [...listOf(host['groups']), ...(attrs === host ? [] : listOf(attrs['groups']))];
  const check: FoundCheck = {
    ...target,
    at,
    name: attrs === host ? (shown ?? name) : `${textOf(host['name'])} ${shown ?? textOf(attrs['name'])}`,
    id: name,
    intervalSeconds: numberOf(attrs['check_interval']),
    retryDelaySeconds: numberOf(attrs['retry_interval']),
    attempts: numberOf(attrs['max_check_attempts']),
    timeoutSeconds: numberOf(attrs['check_timeout']) ?? timeoutSeconds,
    master,
    tags: [...new Set(groups.flatMap((group) => textOf(group) ?? []))],
    enabled: truthOf(attrs['enable_active_checks']) ?? true,
  };
  into.checks.push(check);
}
