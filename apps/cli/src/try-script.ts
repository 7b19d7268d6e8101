import { readFileSync } from 'node:fs';
import { Fault, messageOf, Secret, systemClock } from '@vantage/kernel';
import { createDial, type Measurement, probeFor, runCheck } from '@vantage/probes';
import { z } from 'zod';

/** The arguments of `script run`. */
export interface ScriptRun {
  readonly file: string;
  readonly timeoutSeconds: number;
  /** A JSON file of values for `secret("NAME")`, by name. */
  readonly secretsFile?: string;
}

/** The result of a script, with the field names of a check's extended data. */
export interface ScriptVerdict {
  readonly ResultCode: number;
  readonly CheckResult: string;
  /** The line at which the script failed. */
  readonly Line?: number;
  readonly TTLB: number;
  readonly Values: NonNullable<Measurement['values']>;
  readonly Steps: unknown;
  readonly Log: unknown;
}

const secretValues = z.record(z.string(), z.string());

/**
 * Runs a script as an agent would, but from this machine and without an agent's policy. Throws a Fault where a file
 * cannot be read or is not a script.
 */
export async function tryScript(trial: ScriptRun, signal: AbortSignal): Promise<ScriptVerdict> {
  const { file, timeoutSeconds, secretsFile } = trial;
  if (!(timeoutSeconds >= 1 && timeoutSeconds <= 120)) {
    throw new Fault('stop', 'bad_timeout', '--timeout must be 1 to 120 seconds');
  }
  const probe = probeFor('Script');
  if (!probe) throw new Fault('stop', 'no_probe', 'this build has no Script');
  const script = probe.parseTarget(read(file));
  if (!script.ok) throw new Fault('stop', 'no_script', `${file}: ${script.message}`);
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
      target: script.target,
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
    Values: result.values ?? [],
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

/** Formats a verdict for people: the result, its values, each step with its calls, then the log. */
export function verdictText(verdict: ScriptVerdict, file: string): string {
  const { ResultCode, CheckResult, Line, Values, Steps, Log } = verdict;
  const position = Line === undefined ? '' : `${file}:${Line}: `;
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
    `${position}${CheckResult} (ResultCode ${ResultCode})`,
    ...Values.map(({ Label, Value, Unit }) => `value ${Label}: ${Value} ${Unit}`.trimEnd()),
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
    throw new Fault('stop', 'bad_secrets', `${file} is not a JSON object of texts: {"NAME": "value"}`, {
      cause: error,
    });
  }
}
