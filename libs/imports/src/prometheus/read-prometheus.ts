import path from 'node:path';
import type { FormatChoices } from '../formats.ts';
import { createReadingBuilder, type FormatReading, type ReadingBuilder } from '../found-check.ts';
import { diskFiles, type InputFiles } from '../input/input-files.ts';
import { maxItems } from '../input/max-items.ts';
import { parseYaml } from '../input/structured-text.ts';
import { unreadable } from '../input/text-file.ts';
import { spanSeconds } from '../values/span-seconds.ts';
import { tagPath } from '../values/tag-path.ts';
import { listOf, recordOf, textOf, textsOf, type UnknownRecord } from '../values/unknown-values.ts';
import { moduleTarget } from './module-target.ts';

const accepts =
  'prometheus.yml with jobs that probe through the blackbox_exporter, or a file of file_sd (a list of {targets, labels})';

/** Modules of the blackbox_exporter by name. */
type Modules = Readonly<Record<string, UnknownRecord>>;

const maxFilesPerPattern = 1000;

/** The modules of the exporter's own example, used without `--modules`. */
const exampleModules: Modules = {
  http_2xx: { prober: 'http' },
  http_post_2xx: { prober: 'http', http: { method: 'POST' } },
  tcp_connect: { prober: 'tcp' },
  icmp: { prober: 'icmp' },
  icmp_ttl5: { prober: 'icmp', icmp: { ttl: 5 } },
  ssh_banner: { prober: 'tcp', tcp: { query_response: [{ expect: '^SSH-2.0-' }] } },
  pop3s_banner: { prober: 'tcp', tcp: { query_response: [{ expect: '^+OK' }], tls: true } },
};

/** Targets that a job probes with the same module. */
interface TargetGroup {
  readonly at: string;
  readonly targets: readonly unknown[];
  readonly labels: UnknownRecord;
  readonly module: string | undefined;
  readonly job: string | undefined;
  readonly interval: unknown;
  readonly timeout: unknown;
}

/** Reads the targets of Prometheus that the blackbox_exporter probes. */
export function readPrometheus(
  file: string,
  choices: FormatChoices,
  input: InputFiles = diskFiles,
): FormatReading {
  const modules = choices.modules === undefined ? exampleModules : readModules(choices.modules, input);
  const reading = createReadingBuilder();
  const yaml = parseYaml(input.readText(file), file, accepts);
  const config = recordOf(yaml.value);
  if (Array.isArray(yaml.value))
    addGroups(
      yaml.value.map((group: unknown, index) => groupOf(group, positionOf(yaml.at([index]), `[${index}]`))),
      modules,
      choices,
      reading,
    );
  else if (config !== undefined && Array.isArray(config['scrape_configs'])) {
    const global = recordOf(config['global']) ?? {};
    for (const [index, value] of config['scrape_configs'].entries()) {
      const job = recordOf(value) ?? {};
      const name = textOf(job['job_name']) ?? `scrape_configs[${index}]`;
      if (textOf(job['metrics_path']) === '/probe')
        addGroups(groupsOf(job, global, { file, input }, reading), modules, choices, reading);
      else
        reading.ignored.push(
          `the job ${JSON.stringify(name)} reads metrics and probes nothing (metrics_path is not /probe)`,
        );
    }
  } else throw unreadable(`${file} has no scrape_configs and is not a list; accepted is ${accepts}`);
  return {
    ...reading,
    things: 'targets',
    shown: [
      choices.modules === undefined
        ? "modules: those of the exporter's own example (--modules FILE names yours)"
        : `modules of ${choices.modules}`,
    ],
  };
}

function positionOf(line: string, path: string): string {
  return line === '' ? path : `${line}, ${path}`;
}

function readModules(file: string, input: InputFiles): Modules {
  const modules = recordOf(
    recordOf(parseYaml(input.readText(file), file, 'the modules of the blackbox_exporter').value)?.[
      'modules'
    ],
  );
  if (modules === undefined)
    throw unreadable(`${file} has no modules; accepted is the configuration of the blackbox_exporter`);
  return Object.fromEntries(Object.entries(modules).map(([name, module]) => [name, recordOf(module) ?? {}]));
}

function groupOf(
  value: unknown,
  at: string,
  job: UnknownRecord = {},
  global: UnknownRecord = {},
): TargetGroup {
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

/** The targets of a job: those in it, and those in its files. */
function groupsOf(
  job: UnknownRecord,
  global: UnknownRecord,
  { file: configuration, input }: { readonly file: string; readonly input: InputFiles },
  reading: ReadingBuilder,
): TargetGroup[] {
  const name = textOf(job['job_name']) ?? 'job';
  const staticGroups = listOf(job['static_configs']).map((group, index) =>
    groupOf(group, `job ${name}, static_configs[${index}]`, job, global),
  );
  const patterns = listOf(job['file_sd_configs']).flatMap((config) => textsOf(recordOf(config)?.['files']));
  const files = patterns.flatMap((pattern) => {
    const matches = input.matching(pattern, configuration).slice(0, maxFilesPerPattern);
    if (matches.length === 0)
      reading.ignored.push(`no file matches ${pattern} of the job ${JSON.stringify(name)}`);
    return matches;
  });
  const fileGroups = files.flatMap((file) =>
    listOf(parseYaml(input.readText(file), file, 'a file of file_sd: a list of {targets, labels}').value).map(
      (group, index) => groupOf(group, `${path.basename(file)}[${index}]`, job, global),
    ),
  );
  const others = Object.keys(job).filter((key) => key.endsWith('_sd_configs') && key !== 'file_sd_configs');
  reading.ignored.push(
    ...others.map(
      (key) =>
        `targets of ${key} of the job ${JSON.stringify(name)} are not in the file (import its answer as a file of file_sd)`,
    ),
  );
  return [...staticGroups, ...fileGroups];
}

function addGroups(
  groups: readonly TargetGroup[],
  modules: Modules,
  choices: FormatChoices,
  reading: ReadingBuilder,
): void {
  for (const group of groups)
    for (const target of group.targets) addTarget(group, textOf(target), modules, choices, reading);
  if (reading.checks.length + reading.refused.length > maxItems)
    throw unreadable(`more than ${maxItems} targets; split them`);
}

/** Labels with the name of a target. They do not become tags. */
const nameLabels = ['name', 'instance', 'alias', 'display_name'];

function addTarget(
  group: TargetGroup,
  target: string | undefined,
  modules: Modules,
  choices: FormatChoices,
  reading: ReadingBuilder,
): void {
  const { at, labels, job } = group;
  const refuse = (text: string) => reading.refused.push({ at, name: target ?? '', text });
  if (target === undefined) return void refuse('is not a text');
  const name = group.module ?? choices.module;
  if (name === undefined) return void refuse('names no module; --module NAME sets one for such targets');
  const module = Object.hasOwn(modules, name) ? modules[name] : undefined;
  if (module === undefined)
    return void refuse(
      `has the module ${JSON.stringify(name)}, which is not known; --modules FILE names the exporter's configuration`,
    );
  const mapped = moduleTarget(module, target, textOf(labels['__param_hostname']));
  if (typeof mapped === 'string') return void refuse(mapped);
  const displayName = nameLabels.flatMap((label) => textOf(labels[label]) ?? [])[0] ?? target;
  const tags = Object.entries(labels).flatMap(([label, value]) =>
    label.startsWith('__') || label === 'module' || nameLabels.includes(label)
      ? []
      : tagPath(label, textOf(value)),
  );
  reading.checks.push({
    ...mapped,
    at,
    name: displayName,
    id: [job, name, target].filter((part) => part !== undefined).join('/'),
    intervalSeconds: spanSeconds(group.interval),
    timeoutSeconds: spanSeconds(module['timeout']) ?? spanSeconds(group.timeout),
    tags: [...(job === undefined ? [] : [tagPath('job', job)]), ...tags],
  });
}
