import { collector, type FoundCheck, type FoundOptions, type FoundTarget, type Reading } from '../found.ts';
import { mostThings, parseJson, readText, unreadable } from '../input.ts';
import { readTable } from '../table/read-table.ts';
import { hostPort, listOf, numberOf, recordOf, textOf } from '../values.ts';

const accepts =
  "the answer of UptimeRobot's API as JSON (getMonitors of v2, /monitors of v3), or its list as CSV";

/** A monitor by the names of both versions of the API. */
interface Monitor {
  readonly text: (...names: string[]) => string | undefined;
  readonly number: (...names: string[]) => number | undefined;
  readonly get: (name: string) => unknown;
}

/** Reads UptimeRobot's monitors. Several answers (pages) may be given. */
export function readUptimeRobot(files: readonly string[]): Reading {
  const texts = files.map((file) => ({ file, text: readText(file) }));
  const [first] = texts;
  if (first !== undefined && texts.length === 1 && !/^\s*[[{]/.test(first.text))
    return readTable(first.text, first.file);
  const into = collector();
  for (const { file, text } of texts) {
    const answer = parseJson(text, file, accepts);
    const list: unknown = Array.isArray(answer)
      ? answer
      : (recordOf(answer)?.['monitors'] ?? recordOf(answer)?.['data']);
    if (!Array.isArray(list)) throw unreadable(`${file} has no list monitors; accepted is ${accepts}`);
    for (const [at, entry] of list.entries()) addMonitor(entry, `monitors[${at}]`, into);
    const total = numberOf(recordOf(recordOf(answer)?.['pagination'])?.['total']);
    if (total !== undefined && total > list.length && files.length === 1)
      into.ignored.push(`the answer holds ${list.length} of ${total} monitors: give the other pages, too`);
  }
  if (into.checks.length + into.refused.length > mostThings)
    throw unreadable(`more than ${mostThings} monitors; split them`);
  return { ...into, things: 'monitors' };
}

function addMonitor(entry: unknown, at: string, into: ReturnType<typeof collector>): void {
  const fields = recordOf(entry) ?? {};
  const monitor: Monitor = {
    text: (...names) => names.flatMap((name) => textOf(fields[name]) ?? [])[0],
    number: (...names) => names.flatMap((name) => numberOf(fields[name]) ?? [])[0],
    get: (name) => fields[name],
  };
  const name = monitor.text('friendly_name', 'friendlyName', 'url') ?? at;
  const target = targetOf(monitor);
  if (typeof target === 'string') return void into.refused.push({ at, name, text: target });
  const id = monitor.text('id');
  const status = monitor.text('status')?.toUpperCase();
  const check: FoundCheck = {
    ...target,
    at,
    name,
    id: id === undefined ? name : `uptimerobot-${id}`,
    intervalSeconds: monitor.number('interval') ?? 300,
    timeoutSeconds: monitor.number('timeout'),
    tags: listOf(monitor.get('tags')).flatMap((tag) => textOf(tag) ?? textOf(recordOf(tag)?.['name']) ?? []),
    enabled: status !== '0' && status !== 'PAUSED',
  };
  into.checks.push(check);
}

const types: Readonly<Record<string, string>> = {
  '1': 'HTTP',
  '2': 'KEYWORD',
  '3': 'PING',
  '4': 'PORT',
  '5': 'HEARTBEAT',
  '6': 'DNS',
};

function targetOf(monitor: Monitor): FoundTarget {
  const given = monitor.text('type') ?? '';
  const type = (types[given] ?? given).toUpperCase();
  const url = monitor.text('url');
  if (type === 'HEARTBEAT') return 'waits for calls of a job (heartbeat); no Method is passive';
  if (url === undefined) return 'has no url';
  if (type === 'HTTP' || type === 'KEYWORD') return httpTarget(monitor, url, type === 'KEYWORD');
  if (type === 'PING')
    return { method: 'PING', url: url.replace(/^[a-z]+:\/\//i, '').replace(/[/?#].*$/s, '') };
  if (type === 'PORT') return portTarget(monitor, url.replace(/^[a-z]+:\/\//i, '').replace(/[/?#].*$/s, ''));
  return `has the type ${JSON.stringify(given)}, for which there is no Method`;
}

const methods = ['', 'HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function httpTarget(monitor: Monitor, url: string, keyword: boolean): FoundTarget {
  const kind = monitor.text('http_auth_type', 'authType')?.toUpperCase();
  if (kind === '2' || kind === 'DIGEST') return 'signs in by Digest, which HTTP does not do here';
  const number = monitor.number('http_method');
  const method = number === undefined ? monitor.text('httpMethodType') : methods[number];
  const headers =
    recordOf(monitor.get('custom_http_headers')) ?? recordOf(monitor.get('customHttpHeaders')) ?? {};
  const given = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const text = textOf(value);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
  // "Exists" means: alert when the word is there.
  const alertsOn = monitor.text('keyword_type', 'keywordType')?.toUpperCase();
  const word = keyword ? monitor.text('keyword_value', 'keywordValue') : undefined;
  const rejects = alertsOn === '1' || alertsOn === 'ALERT_EXISTS';
  const caseless = monitor.text('keyword_case_type', 'keywordCaseType');
  const options: FoundOptions = {
    // Its HTTP monitors ask by HEAD, but a page that answers HEAD answers GET, too.
    Method: method === undefined || method === 'GET' || method === 'HEAD' ? undefined : method.toUpperCase(),
    Headers: Object.keys(given).length === 0 ? undefined : given,
    Body: monitor.text('post_value', 'postValueData'),
    User: monitor.text('http_username', 'httpUsername'),
    Password: monitor.text('http_password', 'httpPassword'),
    ExpectText: rejects ? undefined : word,
    RejectText: rejects ? word : undefined,
    MaxRedirects: monitor.get('followRedirections') === false ? 0 : undefined,
  };
  const lost = [
    ...(method === 'HEAD' ? ['HEAD: it is asked by GET'] : []),
    ...(word !== undefined && (caseless === '1' || caseless === 'CaseInsensitive')
      ? ['that letter case does not count in its keyword']
      : []),
    ...(monitor.text('custom_http_statuses') === undefined
      ? []
      : ['its own list of statuses (set Options.ExpectStatus)']),
  ];
  return { method: 'HTTP', url, options, lost };
}

/** Ports of the services that its port monitors name. It only connects, so the port alone is checked. */
const ports: Readonly<Record<string, number>> = { '1': 80, '2': 443, '3': 21, '4': 25, '5': 110, '6': 143 };

function portTarget(monitor: Monitor, host: string): FoundTarget {
  const port = monitor.number('port') ?? ports[monitor.text('sub_type') ?? ''];
  if (port === undefined) return 'has no port';
  return { method: 'TCP', url: /:\d+$/.test(host) ? host : hostPort(host, port) };
}
