// Searches for what owners share, for the test of docs/shares.md.

/** Calls that make a pool, a semaphore, a queue or a rate. A declaration of such a function is none. */
export const places =
  /(?<!function )\b(?:create(?:Semaphore|FairSemaphore|PerKeySemaphore|FairSlots|TurnQueue|Mailbox|RateLimiter|AttemptLimit)(?:<[^>()]*>)?\(|openPool\(|new pg\.Pool\()/g;

/** Statements that take some of many rows: claims, and rows by a limit that is no page of a list. */
export const statements: readonly RegExp[] = [
  /\bskip locked\b/,
  /\blimit \$\{(?!page\.|rowCount\()[^}+]*\}(?! offset)/,
  /\blimit 100\b/,
  /\.limit\((?!page\.|\d)/,
];

/** The file of the function that all others open pools with. */
export const definitions: ReadonlySet<string> = new Set(['apps/controller/src/platform/db/pool.ts']);

const controller = 'apps/controller/src';
/** Files whose statements take no turn from anybody, by the reason. */
const exempt: Readonly<Record<string, readonly string[]>> = {
  'reads rows of one account, device, agent or request': [
    `${controller}/agents/run-requests/agent-store.ts`,
    `${controller}/alerts/decide/many-routes.ts`,
    `${controller}/checks/history/event-store.ts`,
    `${controller}/checks/history/outage-store.ts`,
    `${controller}/checks/history/suggest-master-store.ts`,
    `${controller}/observe/audit/audit-store.ts`,
    `${controller}/observe/metrics/account-store.ts`,
    `${controller}/platform/db/packed/packed-store.ts`,
    `${controller}/rest/http/idempotency-record-store.ts`,
    `${controller}/status/health/read-checks.ts`,
    `${controller}/status/health/rebuild-state.ts`,
  ],
  'goes through all rows from begin to end, for the operator': [
    `${controller}/catalog/secrets/reseal-store.ts`,
    `${controller}/checks/ingest/pack-days.ts`,
  ],
  'reads the accounts of one person': [
    `${controller}/catalog/sessions/store.ts`,
    `${controller}/rest/http/key-store.ts`,
  ],
  'lists controllers': [`${controller}/observe/metrics/installation-routes.ts`],
  'asks the REST API': ['apps/cli/src/remote/run-events.ts'],
};

/** The same, the reason by file. */
export const ofOneOwner: ReadonlyMap<string, string> = new Map(
  Object.entries(exempt).flatMap(([reason, files]) => files.map((file) => [file, reason] as const)),
);
