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

/** The files whose functions all others use: they open a pool, and a semaphore for each key. */
export const definitions: ReadonlySet<string> = new Set([
  'libs/storage/src/pool/pool.ts',
  'libs/rest-kit/src/limits/per-key-semaphore.ts',
]);

const controller = 'apps/controller/src';
/** Files whose statements take no turn from anybody, by the reason. */
const exempt: Readonly<Record<string, readonly string[]>> = {
  'reads rows of one account, contact, device, agent or request': [
    `${controller}/agents/run-requests/open-run-request-store.ts`,
    `${controller}/alerts/decide/changed-device-store.ts`,
    `${controller}/alerts/decide/many-alert-store.ts`,
    `${controller}/alerts/decide/surroundings-store.ts`,
    `${controller}/alerts/deliver/claim-store.ts`,
    `${controller}/alerts/deliver/free-notifications.ts`,
    `${controller}/catalog/agents/rollout-store.ts`,
    `${controller}/reading/history/event-store.ts`,
    `${controller}/reading/marks/mark-store.ts`,
    `${controller}/reading/outages/judged-outages.ts`,
    `${controller}/reading/suggest-master/suggest-master-store.ts`,
    `${controller}/observe/audit/audit-store.ts`,
    `${controller}/observe/metrics/account-metrics-store.ts`,
    `${controller}/observe/metrics/value-series.ts`,
    'libs/storage/src/packed/packed-store.ts',
    'libs/rest-kit/src/batch/idempotency-record-store.ts',
    `${controller}/reading/values/value-store.ts`,
    `${controller}/results/status/read-checks.ts`,
    `${controller}/results/status/rebuild-state.ts`,
  ],
  'goes through all rows from begin to end, for the operator': [
    `${controller}/catalog/secrets/reseal-store.ts`,
    `${controller}/results/ingest/quarantine-store.ts`,
    `${controller}/results/packing/packed-days-store.ts`,
    `${controller}/results/roll-up/value-sum-store.ts`,
  ],
  'reads the accounts of one person': [
    `${controller}/access/sign-in/sign-in-target-store.ts`,
    `${controller}/access/users/people-in-force-store.ts`,
  ],
  'reads for several senders, which declare their shares': [
    `${controller}/alerts/deliver/sending/due-receivers.ts`,
  ],
  'lists controllers': [`${controller}/observe/metrics/installation-store.ts`],
  'asks the REST API': ['apps/cli/src/remote/run-events.ts'],
};

/** The same, the reason by file. */
export const ofOneOwner: ReadonlyMap<string, string> = new Map(
  Object.entries(exempt).flatMap(([reason, files]) => files.map((file) => [file, reason] as const)),
);
