import { createInterface } from 'node:readline/promises';
import { isDeepStrictEqual } from 'node:util';
import { Fault } from '@vantage/kernel';
import { printText } from '../print-answer.ts';
import { type ApiConnection, connect } from '../remote/api-connection.ts';
import type { ControllerAccess } from '../remote/https-fetch.ts';
import type { AccountState } from './account-state.ts';
import type { ApplyPlan, PlanOptions, Prune } from './apply-plan.ts';
import { applySteps, type BoundStep, bindSteps } from './apply-steps.ts';
import { planOf } from './make-plan.ts';
import type { FileProblem } from './managed-kinds.ts';
import { planData, planText } from './plan-text.ts';
import { readAccount } from './read-account.ts';
import { type ApplyFiles, readFiles } from './read-files.ts';
import { readPlan, writePlan } from './saved-plan.ts';

/** The common arguments of `apply`, `diff` and `plan`. */
export interface CodeRequest {
  readonly access: ControllerAccess;
  /** A file, a folder, or - for standard input. */
  readonly file: string;
  readonly prune: Prune | undefined;
  readonly isAdopting: boolean;
  readonly isSendingSecrets: boolean;
  readonly asJson: boolean;
}

/** A plan, and its steps with ETags that were read while the account did not change. */
interface BoundPlan {
  readonly plan: ApplyPlan;
  readonly steps: readonly BoundStep[];
}

/** Attempts to read an account that keeps changing. */
const maxReadings = 4;
/** The errors that are printed. */
const maxShown = 50;

/** Shows the changes that `apply` would make, validated by the controller. Returns true where nothing differs. */
export async function runDiff(request: CodeRequest): Promise<boolean> {
  using connection = connect(request.access);
  const { plan, steps } = await planFor(connection, request);
  printPlan(plan, request.asJson);
  const { failures } = await applySteps(connection, steps, { isPreview: true, onPart: () => {} });
  const isDenied = failures.some((failure) => failure.includes('Access denied.'));
  if (isDenied)
    process.stderr.write('The key is read-only, so the controller has not validated these changes.\n');
  else if (failures.length > 0) throw rejection(failures, 'The controller would reject this');
  return plan.steps.length === 0 && plan.gone.length === 0;
}

/** Saves the plan for a later `apply`. */
export async function runPlan(request: CodeRequest, output: string): Promise<void> {
  using connection = connect(request.access);
  const { plan, steps } = await planFor(connection, request);
  printPlan(plan, request.asJson);
  writePlan(output, { server: request.access.server, unchanged: plan.unchanged, steps });
  process.stderr.write(`The plan is in ${output}; vantage apply ${output} carries it out.\n`);
}

/** Shows the plan, asks for confirmation, and carries it out. Returns false where the person declined. */
export async function runApply(request: CodeRequest & { readonly isYes: boolean }): Promise<boolean> {
  using connection = connect(request.access);
  const { plan, steps } = await planFor(connection, request);
  printPlan(plan, request.asJson);
  return confirmAndApply(connection, steps, request);
}

/** Carries out a saved plan. The controller rejects steps whose resources have changed since. */
export async function runSavedPlan(
  access: ControllerAccess,
  file: string,
  options: { readonly isYes: boolean; readonly asJson: boolean },
): Promise<boolean> {
  const saved = readPlan(file);
  if (saved.server !== access.server)
    throw new Fault(
      'stop',
      'settings',
      `${file} is a plan for ${saved.server}, but this is ${access.server}; create a new plan`,
    );
  using connection = connect(access);
  printPlan({ steps: saved.steps, unchanged: saved.unchanged, gone: [], problems: [] }, options.asJson);
  return confirmAndApply(connection, saved.steps, { ...options, file });
}

async function confirmAndApply(
  connection: ApiConnection,
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
  const { done, failures } = await applySteps(connection, steps, { isPreview: false, onPart });
  if (failures.length > 0)
    throw rejection(
      failures,
      done === 0
        ? 'Nothing is changed, because the controller rejected this'
        : `${done} of ${steps.length} are done. The controller rejected the next one; correct it and run again`,
    );
  process.stderr.write(`${done} done.\n`);
  return true;
}

async function isConfirmed(file: string): Promise<boolean> {
  if (!process.stdin.isTTY || file === '-')
    throw new Fault(
      'stop',
      'settings',
      'nothing is changed: standard input is not a terminal, so apply cannot ask for confirmation; --yes applies the plan without asking',
    );
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question('Apply this? [y/N] ');
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}

/** Plans from the files and the account. Reads the account again after the ETags, until both give the same plan. */
async function planFor(connection: ApiConnection, request: CodeRequest): Promise<BoundPlan> {
  const files = readFiles(request.file, process.env);
  throwProblems(files.problems);
  let plan = planFrom(files, await readAccount(connection), request);
  for (let reading = 1; reading < maxReadings; reading += 1) {
    const steps = await bindSteps(connection, plan.steps);
    if (steps.every(({ etag }) => etag === undefined)) return { plan, steps };
    const again = planFrom(files, await readAccount(connection), request);
    if (isDeepStrictEqual(planData(again), planData(plan))) return { plan, steps };
    plan = again;
  }
  throw new Fault(
    'stop',
    'busy',
    'The account kept changing while it was read. Nothing was applied; run it again.',
  );
}

function planFrom({ entries, source }: ApplyFiles, account: AccountState, request: CodeRequest): ApplyPlan {
  const { prune, isAdopting, isSendingSecrets } = request;
  const options: PlanOptions = { source, prune, isAdopting, isSendingSecrets };
  const plan = planOf(entries, account, options);
  throwProblems(plan.problems);
  return plan;
}

function throwProblems(problems: readonly FileProblem[]): void {
  if (problems.length === 0) return;
  const inOrder = problems.toSorted((a, b) => a.at.localeCompare(b.at, 'en', { numeric: true }));
  const lines = inOrder.slice(0, maxShown).map(({ at, text }) => `${at}: ${text}`);
  const more = problems.length - lines.length;
  if (more > 0) lines.push(`and ${more} more`);
  throw new Fault('stop', 'unreadable', `${lines.join('\n')}\nNothing is changed.`);
}

function rejection(failures: readonly string[], head: string): Fault {
  return new Fault('stop', 'refused', `${head}:\n${failures.slice(0, maxShown).join('\n')}`);
}

function printPlan(plan: ApplyPlan, asJson: boolean): void {
  printText(asJson ? JSON.stringify(planData(plan), null, 2) : planText(plan));
}
