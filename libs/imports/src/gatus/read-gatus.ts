import { createReadingBuilder, type FormatReading, type ReadingBuilder } from '../found-check.ts';
import { diskFiles, type InputFiles } from '../input/input-files.ts';
import { maxItems } from '../input/max-items.ts';
import { parseYaml } from '../input/structured-text.ts';
import { unreadable } from '../input/text-file.ts';
import { spanSeconds } from '../values/span-seconds.ts';
import { tagPath } from '../values/tag-path.ts';
import { listOf, numberOf, recordOf, textOf, truthOf, type UnknownRecord } from '../values/unknown-values.ts';
import { gatusTarget } from './gatus-target.ts';

const accepts = 'the configuration of Gatus: YAML with a list endpoints';

/** Reads Gatus' configuration. */
export function readGatus(file: string, input: InputFiles = diskFiles): FormatReading {
  const yaml = parseYaml(input.readText(file), file, accepts);
  const config = recordOf(yaml.value);
  const endpoints = config?.['endpoints'];
  if (config === undefined || !Array.isArray(endpoints))
    throw unreadable(`${file} has no list endpoints; accepted is ${accepts}`);
  if (endpoints.length > maxItems) throw unreadable(`${file} has more than ${maxItems} endpoints`);
  const reading = createReadingBuilder();
  for (const [index, endpoint] of endpoints.entries()) {
    const path = `endpoints[${index}]`;
    const line = yaml.at(['endpoints', index]);
    readEndpoint(recordOf(endpoint) ?? {}, line === '' ? path : `${line}, ${path}`, reading);
  }
  for (const [index, endpoint] of listOf(config['external-endpoints']).entries())
    reading.refused.push({
      at: `external-endpoints[${index}]`,
      name: textOf(recordOf(endpoint)?.['name']) ?? '',
      text: 'gets its results from elsewhere; no Method is passive',
    });
  for (const [index, suite] of listOf(config['suites']).entries())
    reading.refused.push({
      at: `suites[${index}]`,
      name: textOf(recordOf(suite)?.['name']) ?? '',
      text: 'is a suite of requests in a row; a Script can do that',
    });
  const others = ['alerting', 'maintenance', 'announcements', 'remote', 'tunneling'].filter(
    (part) => config[part] !== undefined,
  );
  return { ...reading, things: 'endpoints', ignored: others.map((part) => `not carried over: ${part}`) };
}

function readEndpoint(endpoint: UnknownRecord, at: string, reading: ReadingBuilder): void {
  const name = textOf(endpoint['name']) ?? textOf(endpoint['url']) ?? '';
  const target = gatusTarget(endpoint);
  if (typeof target === 'string') {
    reading.refused.push({ at, name, text: target });
    return;
  }
  const group = textOf(endpoint['group']);
  const client = recordOf(endpoint['client']) ?? {};
  const thresholds = listOf(endpoint['alerts']).map(
    (alert) => numberOf(recordOf(alert)?.['failure-threshold']) ?? 3,
  );
  reading.checks.push({
    at,
    name,
    id: group === undefined ? name : `${group}/${name}`,
    ...target,
    intervalSeconds: spanSeconds(endpoint['interval'] ?? '60s'),
    timeoutSeconds: spanSeconds(client['timeout'] ?? '10s'),
    attempts: thresholds.length === 0 ? undefined : Math.min(...thresholds),
    tags: group === undefined ? undefined : [tagPath(group)],
    enabled: truthOf(endpoint['enabled']) ?? true,
    lost: [
      ...(target.lost ?? []),
      ...(thresholds.length > 0 ? ['its alerts (use a notification schedule)'] : []),
      ...(endpoint['maintenance-windows'] === undefined ? [] : ['its maintenance windows']),
    ],
  });
}
