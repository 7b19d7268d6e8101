import { createInterface } from 'node:readline/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '@vantage/domain';
import { Fault } from '@vantage/kernel';
import { printText } from '../output.ts';
import { type Connection, connect } from '../remote/connection.ts';
import type { ControllerAccess } from '../remote/https-fetch.ts';
import { type BoundStep, bindSteps, carryOut } from './carry-out.ts';
import { kinds, type Problem } from './kinds.ts';
import { type Plan, type PlanOptions, type Prune, planOf, type Step } from './plan.ts';
import { type KeptPlan, readPlan, writePlan } from './plan-file.ts';
import { readAccount } from './read-account.ts';
import { type Files, readFiles } from './read-files.ts';
import type { Account } from './resolve.ts';

/** The arguments that `apply`, `diff` and `plan` share. */
export interface CodeRequest {
  readonly access: ControllerAccess;
  /** A file, a folder, or - for standard input. */
  readonly file: string;
  readonly prune: Prune | undefined;
  readonly isAdopting: boolean;
  readonly isSendingSecrets: boolean;
  readonly asJson: boolean;
}

/** Lines of one moment in which the account did not change. */
interface Planned {
  readonly plan: Plan;
  readonly steps: readonly BoundStep[];
}

/** So often an account that changes meanwhile is read again. */
const mostReadings = 4;
/** So many faults are printed. */
const mostShown = 50;

/** Shows what `apply` would do, and has the controller judge it. True: nothing differs. */
export async function runDiff(request: CodeRequest): Promise<boolean> {
  using connection = connect(request.access);
  const { plan, steps } = await planFor(connection, request);
  printPlan(plan, request.asJson);
  const { failures } = await carryOut(connection, steps, { isPreview: true, onPart: () => {} });
  const denied = failures.some((each) => each.includes('Access denied.'));
  if (denied) process.stderr.write('The key only views, so the controller has not judged these changes.\n');
  else if (failures.length > 0) throw refusal(failures, 'The controller would refuse this');
  return plan.steps.length === 0 && plan.gone.length === 0;
}

/** Writes the plan into a file that `apply` carries out later. */
export async function runPlan(request: CodeRequest, output: string): Promise<void> {
  using connection = connect(request.access);
  const { plan, steps } = await planFor(connection, request);
  printPlan(plan, request.asJson);
  writePlan(output, { server: request.access.server, unchanged: plan.unchanged, steps });
  process.stderr.write(`${output} holds the plan; vantage apply ${output} carries it out.\n`);
}

/** Shows the plan, asks, and carries it out. False: it was not wanted. */
export async function runApply(request: CodeRequest & { readonly isYes: boolean }): Promise<boolean> {
  using connection = connect(request.access);
  const { plan, steps } = await planFor(connection, request);
  printPlan(plan, request.asJson);
  return confirmAndDo(connection, steps, request);
}

/** Carries out a plan that was kept. What has changed since is refused. */
export async function runKeptPlan(
  access: ControllerAccess,
  file: string,
  how: { readonly isYes: boolean; readonly asJson: boolean },
): Promise<boolean> {
  const kept: KeptPlan = readPlan(file);
  if (kept.server !== access.server)
    throw new Fault(
      'stop',
      'settings',
      `${file} is a plan for ${kept.server}, and this is ${access.server}; make another plan`,
    );
  using connection = connect(access);
  printPlan({ steps: kept.steps, unchanged: kept.unchanged, gone: [], problems: [] }, how.asJson);
  return confirmAndDo(connection, kept.steps, { ...how, file });
}

async function confirmAndDo(
  connection: Connection,
  steps: readonly BoundStep[],
  { isYes, file }: { readonly isYes: boolean; readonly file: string },
): Promise<boolean> {
  if (steps.length === 0) return true;
  if (!isYes && !(await isConfirmed(file))) {
    process.stderr.write('Nothing is changed.\n');
    return false;
  }
  const onPart = (done: number) => {
    if (steps.length > 1_000) process.stderr.write(`${done} of ${steps.length} done\n`);
  };
  const { done, failures } = await carryOut(connection, steps, { isPreview: false, onPart });
  if (failures.length > 0)
    throw refusal(
      failures,
      done === 0
        ? 'Nothing is changed, because the controller refused this'
        : `${done} of ${steps.length} are done, the others are not, because the controller refused this; correct it and run again`,
    );
  process.stderr.write(`${done} done.\n`);
  return true;
}

async function isConfirmed(file: string): Promise<boolean> {
  if (!process.stdin.isTTY || file === '-')
    throw new Fault(
      'stop',
      'settings',
      'nothing is changed: nobody can be asked here; --yes applies the plan without a question',
    );
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question('Apply this? [y/N] ');
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}

/**
 * Plans from the files and the account. What is to be changed is bound to what was read: the account is read again
 * after the ETags, until both show the same.
 */
async function planFor(connection: Connection, request: CodeRequest): Promise<Planned> {
  const files = readFiles(request.file, process.env);
  refuseProblems(files.problems);
  let plan = planned(files, await readAccount(connection), request);
  for (let reading = 1; reading < mostReadings; reading += 1) {
    const steps = await bindSteps(connection, plan.steps);
    if (steps.every(({ etag }) => etag === undefined)) return { plan, steps };
    const again = planned(files, await readAccount(connection), request);
    if (isDeepStrictEqual(planData(again), planData(plan))) return { plan, steps };
    plan = again;
  }
  throw new Fault(
    'stop',
    'busy',
    'The account kept changing while it was read. Nothing was applied; run it again.',
  );
}

function planned({ entries, source }: Files, account: Account, request: CodeRequest): Plan {
  const { prune, isAdopting, isSendingSecrets } = request;
  const options: PlanOptions = { source, prune, isAdopting, isSendingSecrets };
  const plan = planOf(entries, account, options);
  refuseProblems(plan.problems);
  return plan;
}

function refuseProblems(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const inOrder = problems.toSorted((a, b) => a.at.localeCompare(b.at, 'en', { numeric: true }));
  const lines = inOrder.slice(0, mostShown).map(({ at, text }) => `${at}: ${text}`);
  const more = problems.length - lines.length;
  if (more > 0) lines.push(`and ${more} more`);
  throw new Fault('stop', 'unreadable', `${lines.join('\n')}\nNothing is changed.`);
}

function refusal(failures: readonly string[], head: string): Fault {
  return new Fault('stop', 'refused', `${head}:\n${failures.slice(0, mostShown).join('\n')}`);
}

function printPlan(plan: Plan, asJson: boolean): void {
  printText(asJson ? JSON.stringify(planData(plan), null, 2) : planText(plan));
}

const signs = { create: '+', change: '~', delete: '-', pause: '‖', forget: '·' } as const;
const words = {
  create: 'created',
  change: 'changed',
  delete: 'deleted',
  pause: 'paused',
  forget: 'managed by nobody',
} as const;
const longest = 100;
/** Of one kind and verb, so many are named. */
const named = 200;

/** The plan for people: a line for each step, the fields of each change below it, and the counts. */
function planText(plan: Plan): string {
  const groups = Map.groupBy(plan.steps, ({ verb, kind }) => `${verb} ${kind}`);
  const lines = [...groups.values()].flatMap((steps) => [
    ...steps.slice(0, named).flatMap(stepLines),
    ...(steps.length > named ? [`  … and ${steps.length - named} more`] : []),
  ]);
  for (const { kind, key, name } of plan.gone)
    lines.push(`? ${kinds[kind].what} ${key ?? ''} ${quoted(name)}: not in the file any more, left alone`);
  return [...lines, countLine(plan)].join('\n');
}

/** The counts: `2 created, 1 changed, 147 unchanged.` */
function countLine({ steps, unchanged, gone }: Plan): string {
  const counts = Object.entries(words).flatMap(([verb, word]) => {
    const count = steps.filter((step) => step.verb === verb).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  const left = gone.length === 0 ? [] : [`${gone.length} left the file (--prune says what becomes of them)`];
  return `${[...counts, `${unchanged} unchanged`, ...left].join(', ')}.`;
}

function stepLines({ verb, kind, key, name, fields }: Step): readonly string[] {
  const head = `${signs[verb]} ${kinds[kind].what} ${key} ${quoted(name)}`;
  if (verb !== 'change') return [head];
  return [head, ...fields.map(({ field, old, new: next }) => `    ${field}: ${short(old)} → ${short(next)}`)];
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, longest));
}

function short(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

/** The plan for programs. */
export function planData({ steps, unchanged, gone }: Plan) {
  return {
    Steps: steps.map(({ verb, kind, key, name, id, fields }) => ({
      Verb: verb,
      Kind: kind,
      Key: key,
      Name: name,
      Id: id ?? null,
      Fields: fields.map(({ field, old, new: next }) => ({ Field: field, Old: old, New: next })),
    })),
    Unchanged: unchanged,
    Gone: gone.map(({ kind, id, key, name }) => ({ Kind: kind, Key: key, Name: name, Id: id })),
  };
}
