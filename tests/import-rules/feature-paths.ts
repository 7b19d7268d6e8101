import { declarationsOf } from './declarations.ts';
import { isTestFile, type Source } from './sources.ts';

/** A feature by the functions from which a reader follows it, in the order in which they run: `file#function`. */
export interface Feature {
  readonly name: string;
  readonly begins: readonly string[];
}

const controller = 'apps/controller/src';
const agent = 'apps/agent/src';

/** The features whose paths are counted. Functions that the roles join are named, because no import leads to them. */
export const features: readonly Feature[] = [
  {
    name: 'a result, from the probe to its row',
    begins: [
      `${agent}/schedule/scheduler.ts#createScheduler`,
      `${agent}/schedule/check.ts#createCheckRunner`,
      'libs/probes/src/engine/run.ts#runProbe',
      `${agent}/outbox/outbox.ts#openOutbox`,
      `${agent}/stream/uploader.ts#createUploader`,
      `${controller}/agents/gateway/stream-handler.ts#createStreamHandler`,
      `${controller}/agents/gateway/session.ts#createSession`,
      `${controller}/checks/ingest/ingest.ts#createIngest`,
    ],
  },
  {
    name: 'an event, to its e-mail',
    begins: [
      `${controller}/alerts/decide/on-events.ts#createOnEvents`,
      `${controller}/alerts/decide/decide-due.ts#decideDue`,
      `${controller}/alerts/deliver/notification-store.ts#enqueue`,
      `${controller}/alerts/deliver/deliveries.ts#createDeliveries`,
      `${controller}/alerts/deliver/channels/email.ts#createEmail`,
    ],
  },
  {
    name: 'PUT /devices/{id}',
    begins: [
      `${controller}/rest/http/serve-route.ts#createRouteServer`,
      `${controller}/catalog/devices/routes.ts#updateRoute`,
      `${controller}/catalog/devices/write.ts#createDeviceWriter`,
    ],
  },
  {
    name: 'the enrolment of an agent',
    begins: [
      `${controller}/catalog/agents/invitation-routes.ts#invitationRoutes`,
      `${agent}/enrol/enrolment.ts#createEnrolment`,
      `${controller}/agents/enrol/agent-port-handlers.ts#createAgentPortServices`,
      `${controller}/agents/enrol/agent-port-handlers.ts#createAgentPortHandlers`,
      `${controller}/agents/enrol/enrolment.ts#createEnrolment`,
      `${controller}/agents/enrol/authorities.ts#openAuthorities`,
      `${controller}/catalog/agents/enrolment-store.ts#agentEnrolment`,
    ],
  },
  {
    name: 'PING',
    begins: ['libs/probes/src/engine/run.ts#runProbe', 'libs/probes/src/methods/ping/ping.ts#ping'],
  },
];

/** Lists of all Methods, channels and routes: a reader looks up one entry, and follows that. */
const lists = new Set([
  'libs/probes/src/engine/registry.ts',
  `${controller}/alerts/deliver/channels/registry.ts`,
  `${controller}/rest/api/routes.ts`,
]);
/** Vocabulary and tools that a reader knows from their names. */
const known = /^libs\/(kernel|domain|proto)\/|^apps\/controller\/src\/platform\//;

/**
 * The files of a feature: those with a function or constant that the feature's first functions use, directly or over
 * others. Types, tests, generated code, libs/kernel, libs/domain, libs/proto and the controller's platform do not
 * count; a list of all Methods, channels or routes counts, and what it lists does not. A factory uses everything in it,
 * so the path has also what its other functions use. Throws when a first function does not exist.
 */
export function filesOf(
  feature: Feature,
  sources: readonly Source[],
  entries: ReadonlyMap<string, string>,
): string[] {
  const byFile = new Map(sources.map((source) => [source.file, source]));
  const infoOf = (file: string) => {
    const source = byFile.get(file);
    return source === undefined ? undefined : declarationsOf(source, entries);
  };
  const missing = feature.begins.find((begin) => infoOf(fileOf(begin))?.uses.has(nameOf(begin)) !== true);
  if (missing !== undefined) throw new Error(`${feature.name}: there is no ${missing}`);
  const files = new Set<string>();
  const seen = new Set<string>();
  const open = [...feature.begins];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [file, name] = [fileOf(next), nameOf(next)];
    const info = isTestFile(file) || known.test(file) ? undefined : infoOf(file);
    if (seen.has(next) || info === undefined) continue;
    seen.add(next);
    const { uses, imported } = info;
    const names = uses.get(name);
    if (names !== undefined) files.add(file);
    if (lists.has(file)) continue;
    const elsewhere = imported.get(name);
    if (elsewhere !== undefined) open.push(`${elsewhere.file}#${elsewhere.name}`);
    if (name === '*') open.push(...[...uses.keys()].map((each) => `${file}#${each}`));
    for (const used of names ?? []) if (uses.has(used) || imported.has(used)) open.push(`${file}#${used}`);
  }
  return [...files].sort();
}

function fileOf(place: string): string {
  return place.slice(0, place.indexOf('#'));
}

function nameOf(place: string): string {
  return place.slice(place.indexOf('#') + 1);
}
