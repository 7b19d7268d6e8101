import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Method } from '@vantage/domain';
import { Fault, messageOf } from '@vantage/kernel';
import { exportCsv } from '../imports/back/csv.ts';
import type { Exported, ExportedDevice } from '../imports/back/exported-device.ts';
import { exportGatus } from '../imports/back/gatus.ts';
import { exportFileSd } from '../imports/back/prometheus-file-sd.ts';
import { textOf } from '../json-text.ts';
import { type Connection, connect } from '../remote/connection.ts';
import type { ControllerAccess } from '../remote/https-fetch.ts';
import { type BoundStep, bindSteps, carryOut } from './carry-out.ts';
import { exportFile } from './export-file.ts';
import type { Problem, Thing } from './kinds.ts';
import { type Plan, type PlanOptions, type Prune, planOf } from './plan.ts';
import { type KeptPlan, readPlan, writePlan } from './plan-file.ts';
import { readAccount } from './read-account.ts';
import { type Files, readFiles } from './read-files.ts';
import type { Account } from './resolve.ts';
import { planData, planText } from './show-plan.ts';

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
  print(plan, request.asJson);
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
  print(plan, request.asJson);
  writePlan(output, { server: request.access.server, unchanged: plan.unchanged, steps });
  process.stderr.write(`${output} holds the plan; vantage apply ${output} carries it out.\n`);
}

/** Shows the plan, asks, and carries it out. False: it was not wanted. */
export async function runApply(request: CodeRequest & { readonly isYes: boolean }): Promise<boolean> {
  using connection = connect(request.access);
  const { plan, steps } = await planFor(connection, request);
  print(plan, request.asJson);
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
  print({ steps: kept.steps, unchanged: kept.unchanged, gone: [], problems: [] }, how.asJson);
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
  throw new Fault('stop', 'busy', 'the account changes all the time; nothing is done, try it again');
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

function print(plan: Plan, asJson: boolean): void {
  console.log(asJson ? JSON.stringify(planData(plan), null, 2) : planText(plan));
}

/** The forms of an export. */
type ExportForm = 'yaml' | 'csv' | 'gatus' | 'prometheus-file-sd';

/** Writes what the account has, as a file of `apply` or of another tool. */
export async function runExport(request: {
  readonly access: ControllerAccess;
  readonly source: string | undefined;
  readonly form: ExportForm;
  readonly output: string | undefined;
}): Promise<void> {
  using connection = connect(request.access);
  const account = await readAccount(connection);
  const { text, notes } = exported(account, request.form, request.source);
  for (const note of notes) process.stderr.write(`${note}\n`);
  if (request.output === undefined) process.stdout.write(text);
  else write(request.output, text);
}

const others: Readonly<
  Record<Exclude<ExportForm, 'yaml'>, (devices: readonly ExportedDevice[]) => Exported>
> = {
  csv: exportCsv,
  gatus: exportGatus,
  'prometheus-file-sd': exportFileSd,
};

function exported(
  account: Account,
  form: ExportForm,
  source: string | undefined,
): { readonly text: string; readonly notes: readonly string[] } {
  if (form === 'yaml') return exportFile(account, source);
  const tags = new Map(account.things.map(({ id, settings }) => [id, textOf(settings['Name'])]));
  const devices = account.things
    .filter((each) => each.kind === 'device' && (source === undefined || each.source === source))
    .map((each) => exportedDevice(each, tags));
  const { text, lost } = others[form](devices);
  return { text, notes: lost.map(({ name, text: what }) => `${name}: ${what}`) };
}

function exportedDevice({ id, key, settings }: Thing, tags: ReadonlyMap<string, string>): ExportedDevice {
  const { Tags } = settings;
  return {
    ...(settings as unknown as ExportedDevice),
    device_id: id,
    Method: settings['Method'] as Method,
    ExternalKey: key,
    Tags: Array.isArray(Tags) ? Tags.map((tag) => ({ Name: tags.get(textOf(tag)) ?? textOf(tag) })) : [],
  };
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new Fault('stop', 'unwritable', `${file} cannot be written: ${messageOf(error)}`);
  }
}
