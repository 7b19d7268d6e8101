import { globSync } from 'node:fs';
import path from 'node:path';
import type { FormatChoices } from '../format-choices.ts';
import { collector, type Reading } from '../found.ts';
import { mostThings, parseYaml, readText, unreadable } from '../input.ts';
import { listOf, recordOf, spanSeconds, tagPath, textOf } from '../values.ts';
import { moduleTarget } from './module-target.ts';

const accepts =
  'prometheus.yml with jobs that probe through the blackbox_exporter, or a file of file_sd (a list of {targets, labels})';

type Fields = Readonly<Record<string, unknown>>;
type Collector = ReturnType<typeof collector>;

/** Modules of the exporter's own example, for targets whose modules are not given. */
const usualModules: Readonly<Record<string, Fields>> = {
  http_2xx: { prober: 'http' },
  http_post_2xx: { prober: 'http', http: { method: 'POST' } },
  tcp_connect: { prober: 'tcp' },
  icmp: { prober: 'icmp' },
  icmp_ttl5: { prober: 'icmp', icmp: { ttl: 5 } },
  ssh_banner: { prober: 'tcp', tcp: { query_response: [{ expect: '^SSH-2.0-' }] } },
  pop3s_banner: { prober: 'tcp', tcp: { query_response: [{ expect: '^+OK' }], tls: true } },
};

/** Targets that one job probes with one module. */
interface Group {
  readonly at: string;
  readonly targets: readonly unknown[];
  readonly labels: Fields;
  readonly module: string | undefined;
  readonly job: string | undefined;
  readonly interval: unknown;
  readonly timeout: unknown;
}

/**
 * Reads targets of Prometheus; `--modules` names the exporter's file, `--module` the module of targets that name none.
 */
export function readPrometheus(file: string, choices: FormatChoices): Reading {
  const modules = choices.modules === undefined ? usualModules : readModules(choices.modules);
  const into = collector();
  const yaml = parseYaml(readText(file), file, accepts);
  const config = recordOf(yaml.value);
  if (Array.isArray(yaml.value))
    addGroups(
      yaml.value.map((each: unknown, at) => groupOf(each, placeOf(yaml.at([at]), `[${at}]`))),
      modules,
      choices,
      into,
    );
  else if (config !== undefined && Array.isArray(config['scrape_configs'])) {
    const global = recordOf(config['global']) ?? {};
    for (const [at, each] of config['scrape_configs'].entries()) {
      const job = recordOf(each) ?? {};
      const name = textOf(job['job_name']) ?? `scrape_configs[${at}]`;
      if (textOf(job['metrics_path']) === '/probe')
        addGroups(groupsOf(job, global, path.dirname(file), into), modules, choices, into);
      else
        into.ignored.push(
          `the job ${JSON.stringify(name)} reads metrics and probes nothing (metrics_path is not /probe)`,
        );
    }
  } else throw unreadable(`${file} has no scrape_configs and is no list; accepted is ${accepts}`);
  return {
    ...into,
    things: 'targets',
    shown: [
      choices.modules === undefined
        ? "modules: those of the exporter's own example (--modules FILE names yours)"
        : `modules of ${choices.modules}`,
    ],
  };
}

function placeOf(line: string, place: string): string {
  return line === '' ? place : `${line}, ${place}`;
}

function readModules(file: string): Readonly<Record<string, Fields>> {
  const modules = recordOf(
    recordOf(parseYaml(readText(file), file, 'the modules of the blackbox_exporter').value)?.['modules'],
  );
  if (modules === undefined)
    throw unreadable(`${file} has no modules; accepted is the configuration of the blackbox_exporter`);
  return Object.fromEntries(Object.entries(modules).map(([name, module]) => [name, recordOf(module) ?? {}]));
}

function groupOf(value: unknown, at: string, job: Fields = {}, global: Fields = {}): Group {
  const group = recordOf(value) ?? {};
  const params = listOf(recordOf(job['params'])?.['module']);
  const labels = recordOf(group['labels']) ?? {};
  return {
    at,
    labels,
    targets: listOf(group['targets']),
    module: textOf(labels['module']) ?? textOf(labels['__param_module']) ?? textOf(params[0]),
    job: textOf(job['job_name']),
    interval: job['scrape_interval'] ?? global['scrape_interval'] ?? '1m',
    timeout: job['scrape_timeout'] ?? global['scrape_timeout'] ?? '10s',
  };
}

/** The targets of a job: its own, and those of its files, which stand beside the configuration. */
function groupsOf(job: Fields, global: Fields, folder: string, into: Collector): Group[] {
  const name = textOf(job['job_name']) ?? 'job';
  const own = listOf(job['static_configs']).map((each, at) =>
    groupOf(each, `job ${name}, static_configs[${at}]`, job, global),
  );
  const files = listOf(job['file_sd_configs'])
    .flatMap((each) => listOf(recordOf(each)?.['files']))
    .flatMap((each) => textOf(each) ?? []);
  const found = files.flatMap((pattern) => {
    const matches = globSync(path.resolve(folder, pattern)).sort().slice(0, 1000);
    if (matches.length === 0)
      into.ignored.push(`no file is there for ${pattern} of the job ${JSON.stringify(name)}`);
    return matches;
  });
  const listed = found.flatMap((file) =>
    listOf(parseYaml(readText(file), file, 'a file of file_sd: a list of {targets, labels}').value).map(
      (each, at) => groupOf(each, `${path.basename(file)}[${at}]`, job, global),
    ),
  );
  const others = Object.keys(job).filter((key) => key.endsWith('_sd_configs') && key !== 'file_sd_configs');
  into.ignored.push(
    ...others.map(
      (key) =>
        `targets of ${key} of the job ${JSON.stringify(name)} are not in the file (take its answer as a file of file_sd)`,
    ),
  );
  return [...own, ...listed];
}

function addGroups(
  groups: readonly Group[],
  modules: Readonly<Record<string, Fields>>,
  choices: FormatChoices,
  into: Collector,
): void {
  for (const group of groups)
    for (const target of group.targets) addTarget(group, textOf(target), modules, choices, into);
  if (into.checks.length + into.refused.length > mostThings)
    throw unreadable(`more than ${mostThings} targets; split them`);
}

/** Labels that say what a target is called, and that are therefore no tags. */
const nameLabels = ['name', 'instance', 'alias', 'display_name'];

function addTarget(
  group: Group,
  target: string | undefined,
  modules: Readonly<Record<string, Fields>>,
  choices: FormatChoices,
  into: Collector,
): void {
  const { at, labels, job } = group;
  const refuse = (text: string) => into.refused.push({ at, name: target ?? '', text });
  if (target === undefined) return void refuse('is no text');
  const name = group.module ?? choices.module;
  if (name === undefined) return void refuse('names no module; --module NAME gives one to such targets');
  const module = Object.hasOwn(modules, name) ? modules[name] : undefined;
  if (module === undefined)
    return void refuse(
      `has the module ${JSON.stringify(name)}, which is not known; --modules FILE names the exporter's configuration`,
    );
  const found = moduleTarget(module, target, textOf(labels['__param_hostname']));
  if (typeof found === 'string') return void refuse(found);
  const shown = nameLabels.flatMap((label) => textOf(labels[label]) ?? [])[0] ?? target;
  const tags = Object.entries(labels).flatMap(([label, value]) =>
    label.startsWith('__') || label === 'module' || nameLabels.includes(label)
      ? []
      : tagPath(label, textOf(value)),
  );
  into.checks.push({
    ...found,
    at,
    name: shown,
    id: [job, name, target].filter((part) => part !== undefined).join('/'),
    intervalSeconds: spanSeconds(group.interval),
    timeoutSeconds: spanSeconds(module['timeout']) ?? spanSeconds(group.timeout),
    tags: [...(job === undefined ? [] : [tagPath('job', job)]), ...tags],
  });
}
