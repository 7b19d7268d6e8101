import {
  createReadingBuilder,
  type FormatReading,
  type FoundOptions,
  type ReadingBuilder,
  type TargetOrReason,
} from '../found-check.ts';
import { diskFiles, type InputFiles } from '../input/input-files.ts';
import { maxItems } from '../input/max-items.ts';
import { parseJson } from '../input/structured-text.ts';
import { unreadable } from '../input/text-file.ts';
import { readTable } from '../table/read-table.ts';
import { authorityOf, hostPort } from '../values/host-port.ts';
import { pushTarget } from '../values/push-target.ts';
import { listOf, numberOf, orAbsent, recordOf, textFields, textOf } from '../values/unknown-values.ts';

const accepts =
  "the answer of UptimeRobot's API as JSON (getMonitors of v2, /monitors of v3), or its list as CSV";

/** A monitor whose fields have a name in v2 and another in v3 of the API. */
interface RobotMonitor {
  readonly text: (...names: string[]) => string | undefined;
  readonly number: (...names: string[]) => number | undefined;
  readonly get: (name: string) => unknown;
}

/** Reads UptimeRobot's monitors. Each file is a page of the answer. */
export function readUptimeRobot(files: readonly string[], input: InputFiles = diskFiles): FormatReading {
  const texts = files.map((file) => ({ file, text: input.readText(file) }));
  const [first] = texts;
  if (first !== undefined && texts.length === 1 && !/^\s*[[{]/.test(first.text))
    return readTable(first.text, first.file);
  const reading = createReadingBuilder();
  for (const { file, text } of texts) {
    const answer = parseJson(text, file, accepts);
    const list: unknown = Array.isArray(answer)
      ? answer
      : (recordOf(answer)?.['monitors'] ?? recordOf(answer)?.['data']);
    if (!Array.isArray(list)) throw unreadable(`${file} has no list monitors; accepted is ${accepts}`);
    for (const [index, entry] of list.entries()) addMonitor(entry, `monitors[${index}]`, reading);
    const total = numberOf(recordOf(recordOf(answer)?.['pagination'])?.['total']);
    if (total !== undefined && total > list.length && files.length === 1)
      reading.ignored.push(`the answer has ${list.length} of ${total} monitors: import the other pages, too`);
  }
  if (reading.checks.length + reading.refused.length > maxItems)
    throw unreadable(`more than ${maxItems} monitors; split them`);
  return { ...reading, things: 'monitors' };
}

function addMonitor(entry: unknown, at: string, reading: ReadingBuilder): void {
  const fields = recordOf(entry) ?? {};
  const monitor: RobotMonitor = {
    text: (...names) => names.flatMap((name) => textOf(fields[name]) ?? [])[0],
    number: (...names) => names.flatMap((name) => numberOf(fields[name]) ?? [])[0],
    get: (name) => fields[name],
  };
  const name = monitor.text('friendly_name', 'friendlyName', 'url') ?? at;
  const target = targetOf(monitor);
  if (typeof target === 'string') return void reading.refused.push({ at, name, text: target });
  const id = monitor.text('id');
  const status = monitor.text('status')?.toUpperCase();
  reading.checks.push({
    ...target,
    at,
    name,
    id: id === undefined ? name : `uptimerobot-${id}`,
    intervalSeconds: target.intervalSeconds ?? monitor.number('interval') ?? defaultIntervalS,
    timeoutSeconds: monitor.number('timeout'),
    tags: listOf(monitor.get('tags')).flatMap((tag) => textOf(tag) ?? textOf(recordOf(tag)?.['name']) ?? []),
    enabled: status !== '0' && status !== 'PAUSED',
  });
}

const defaultIntervalS = 300;

/** The types of v2. */
const typesByNumber: Readonly<Record<string, string>> = {
  '1': 'HTTP',
  '2': 'KEYWORD',
  '3': 'PING',
  '4': 'PORT',
  '5': 'HEARTBEAT',
  '6': 'DNS',
};

function targetOf(monitor: RobotMonitor): TargetOrReason {
  const reported = monitor.text('type') ?? '';
  const type = (typesByNumber[reported] ?? reported).toUpperCase();
  const url = monitor.text('url');
  if (type === 'HEARTBEAT')
    return pushTarget(monitor.number('interval') ?? defaultIntervalS, monitor.number('gracePeriod') ?? 0);
  if (url === undefined) return 'has no url';
  if (type === 'HTTP' || type === 'KEYWORD') return httpTarget(monitor, url, type === 'KEYWORD');
  if (type === 'PING') return { method: 'PING', url: authorityOf(url) };
  if (type === 'PORT') return portTarget(monitor, authorityOf(url));
  return `has the type ${JSON.stringify(reported)}, for which there is no Method`;
}

/** HTTP methods by the numbers of v2. */
const httpMethods = ['', 'HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function httpTarget(monitor: RobotMonitor, url: string, hasKeyword: boolean): TargetOrReason {
  const authKind = monitor.text('http_auth_type', 'authType')?.toUpperCase();
  const number = monitor.number('http_method');
  const method = number === undefined ? monitor.text('httpMethodType') : httpMethods[number];
  const headers =
    recordOf(monitor.get('custom_http_headers')) ?? recordOf(monitor.get('customHttpHeaders')) ?? {};
  // The type "exists" means: alert when the keyword is there.
  const alertsOn = monitor.text('keyword_type', 'keywordType')?.toUpperCase();
  const keyword = hasKeyword ? monitor.text('keyword_value', 'keywordValue') : undefined;
  const rejectsKeyword = alertsOn === '1' || alertsOn === 'ALERT_EXISTS';
  const caseType = monitor.text('keyword_case_type', 'keywordCaseType');
  const options: FoundOptions = {
    // Its HTTP monitors send HEAD. A page that answers HEAD answers GET, too.
    Method: method === undefined || method === 'GET' || method === 'HEAD' ? undefined : method.toUpperCase(),
    Headers: orAbsent(textFields(headers)),
    Body: monitor.text('post_value', 'postValueData'),
    Auth: authKind === '2' || authKind === 'DIGEST' ? 'Digest' : undefined,
    User: monitor.text('http_username', 'httpUsername'),
    Password: monitor.text('http_password', 'httpPassword'),
    ExpectText: rejectsKeyword ? undefined : keyword,
    RejectText: rejectsKeyword ? keyword : undefined,
    MaxRedirects: monitor.get('followRedirections') === false ? 0 : undefined,
  };
  const lost = [
    ...(method === 'HEAD' ? ['HEAD: the check uses GET'] : []),
    ...(keyword !== undefined && (caseType === '1' || caseType === 'CaseInsensitive')
      ? ['that its keyword ignores letter case']
      : []),
    ...(monitor.text('custom_http_statuses') === undefined
      ? []
      : ['its own list of statuses (set Options.ExpectStatus)']),
  ];
  return { method: 'HTTP', url, options, lost };
}

/** Ports of the services that port monitors name. UptimeRobot only connects, so the device checks only the port. */
const portsByService: Readonly<Record<string, number>> = {
  '1': 80,
  '2': 443,
  '3': 21,
  '4': 25,
  '5': 110,
  '6': 143,
};

function portTarget(monitor: RobotMonitor, host: string): TargetOrReason {
  const port = monitor.number('port') ?? portsByService[monitor.text('sub_type') ?? ''];
  if (port === undefined) return 'has no port';
  return { method: 'TCP', url: /:\d+$/.test(host) ? host : hostPort(host, port) };
}
