import { readFileSync } from 'node:fs';
import { Fault, messageOf, Secret, systemClock } from '@vantage/kernel';
import { createDial, probeFor, runCheck } from '@vantage/probes';
import { z } from 'zod';

/** A script that the operator runs by hand. */
export interface ScriptTrial {
  readonly file: string;
  readonly timeoutSeconds: number;
  /** A JSON file of values for `secret("NAME")`, by name. */
  readonly secretsFile?: string;
}

/** The outcome of a trial. The fields have the names of a check's extended data. */
export interface ScriptVerdict {
  readonly ResultCode: number;
  readonly CheckResult: string;
  /** Line of the script at which it failed. */
  readonly Line?: number;
  readonly TTLB: number;
  readonly Steps: unknown;
  readonly Log: unknown;
}

const secretValues = z.record(z.string(), z.string());

/**
 * Runs a script from a file as an agent would, from this machine and without an agent's policy. Throws a Fault when a
 * file cannot be read or holds no script.
 */
export async function tryScript(trial: ScriptTrial, signal: AbortSignal): Promise<ScriptVerdict> {
  const { file, timeoutSeconds, secretsFile } = trial;
  if (!(timeoutSeconds >= 1 && timeoutSeconds <= 120)) {
    throw new Fault('stop', 'bad_timeout', '--timeout takes 1 to 120 seconds');
  }
  const probe = probeFor('Script');
  if (!probe) throw new Fault('stop', 'no_probe', 'this build has no Script');
  const found = probe.parseTarget(read(file));
  if (!found.ok) throw new Fault('stop', 'no_script', `${file}: ${found.message}`);
  const secrets = secretsFile === undefined ? {} : readSecrets(secretsFile);
  const result = await runCheck(
    {
      clock: systemClock,
      policy: { refuse: () => undefined },
      dial: createDial(),
      signal,
      random: Math.random,
    },
    {
      probe,
      target: found.target,
      options: {},
      timeoutMs: timeoutSeconds * 1000,
      secrets: new Map(Object.entries(secrets).map(([name, value]) => [name, new Secret(value)])),
    },
  );
  const line = result.extended['Line'];
  return {
    ResultCode: result.code,
    CheckResult: result.text,
    ...(typeof line === 'number' && { Line: line }),
    TTLB: result.phases.ttlb,
    Steps: result.extended['Steps'],
    Log: result.extended['Log'],
  };
}

const shownSteps = z.array(
  z.looseObject({
    Name: z.string().optional(),
    Ms: z.number().optional(),
    Ok: z.boolean().optional(),
    Calls: z.array(
      z.looseObject({
        Function: z.string(),
        Line: z.int().optional(),
        ResultCode: z.int().optional(),
        CheckResult: z.string(),
        RequestTime: z.number().optional(),
      }),
    ),
  }),
);

/** Formats a verdict for people: the outcome, then each step with its calls, then the log. */
export function verdictText(verdict: ScriptVerdict, file: string): string {
  const { ResultCode, CheckResult, Line, Steps, Log } = verdict;
  const at = Line === undefined ? '' : `${file}:${Line}: `;
  const steps = shownSteps
    .catch([])
    .parse(Steps)
    .flatMap(({ Name, Ms, Ok, Calls }) => [
      ...(Name === undefined
        ? []
        : [`step ${Name}${Ok === false ? ' failed' : ''}${Ms === undefined ? '' : `, ${Ms} ms`}`]),
      ...Calls.map(
        (call) =>
          `  line ${call.Line ?? '?'}: ${call.Function}() ${call.ResultCode ?? '-'}, ${call.CheckResult}${call.RequestTime === undefined ? '' : ` (${call.RequestTime} ms)`}`,
      ),
    ]);
  const log = z.array(z.string()).catch([]).parse(Log);
  return [
    `${at}${CheckResult} (ResultCode ${ResultCode})`,
    ...steps,
    ...log.map((line) => `log: ${line}`),
  ].join('\n');
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Fault('stop', 'unreadable', `cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}

function readSecrets(file: string): Readonly<Record<string, string>> {
  const text = read(file);
  try {
    return secretValues.parse(JSON.parse(text));
  } catch (error) {
    throw new Fault('stop', 'bad_secrets', `${file} is no JSON object of texts: {"NAME": "value"}`, {
      cause: error,
    });
  }
}
