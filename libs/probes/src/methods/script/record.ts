import type { Json } from '@vantage/domain';
import { resultCode } from '@vantage/domain';
import type { StepResult } from '../../contract/probe.ts';

/** The record of a script, for the extended data. */
export interface ScriptRecord {
  /** A step opened or ended (`state`); a section lasts until the next one. */
  step(id: number, name: string, state: 'section' | 'open' | 'ok' | 'failed'): void;
  /** A call begins in the step opened last, from a line of the script; the function returned takes its result. */
  call(name: string, line: number | undefined): (result: StepResult) => void;
  say(text: string): void;
  steps(): Json;
  log(): Json;
}

interface Step {
  readonly id: number;
  readonly name: string;
  readonly startMs: number;
  readonly section: boolean;
  readonly calls: Call[];
  ms: number | undefined;
  ok: boolean | undefined;
}

interface Call {
  readonly name: string;
  readonly line: number | undefined;
  readonly atMs: number;
  result: StepResult | undefined;
}

const maxSteps = 100;
const maxLogLines = 200;
const maxLogText = 32 * 1024;

/** Creates an empty record; times are milliseconds since its making. */
export function createRecord(monoMs: () => number): ScriptRecord {
  const startMs = monoMs();
  const sinceStart = () => round(monoMs() - startMs);
  const outside: Step = stepOf(0, '', 0, true);
  const steps: Step[] = [];
  const lines: string[] = [];
  let logged = 0;
  let left = 0;

  const current = () => steps.findLast((each) => each.ms === undefined) ?? outside;
  const close = (each: Step, ok: boolean) => {
    each.ms = round(sinceStart() - each.startMs);
    each.ok = ok;
  };
  return {
    step(id, name, state) {
      const known = steps.find((each) => each.id === id);
      if (state === 'ok' || state === 'failed') {
        if (known) close(known, state === 'ok');
        return;
      }
      const before = steps.findLast((each) => each.section && each.ms === undefined);
      if (state === 'section' && before) close(before, true);
      if (steps.length < maxSteps) {
        steps.push(stepOf(id, name.slice(0, 200), sinceStart(), state === 'section'));
      }
    },
    call(name, line) {
      const call: Call = { name, line, atMs: sinceStart(), result: undefined };
      current().calls.push(call);
      return (result) => {
        call.result = result;
      };
    },
    say(text) {
      if (lines.length >= maxLogLines || logged >= maxLogText) {
        left += 1;
        return;
      }
      lines.push(text.slice(0, maxLogText - logged));
      logged += text.length;
    },
    steps: () => (outside.calls.length > 0 ? [outside, ...steps] : steps).map(shownStep),
    log: () => (left === 0 ? lines : [...lines, `… ${left} more lines left out …`]),
  };
}

function stepOf(id: number, name: string, startMs: number, section: boolean): Step {
  return { id, name, startMs, section, calls: [], ms: undefined, ok: undefined };
}

function shownStep(step: Step): Json {
  return {
    ...(step.name !== '' && { Name: step.name, StartMs: step.startMs }),
    ...(step.ms !== undefined && { Ms: step.ms }),
    ...(step.ok !== undefined && { Ok: step.ok }),
    Calls: step.calls.map(shownCall),
  };
}

function shownCall({ name, line, atMs, result }: Call): Json {
  const head = { Function: name, ...(line !== undefined && { Line: line }), StartMs: atMs };
  if (result === undefined) return { ...head, CheckResult: 'cut off' };
  if (!result.ok) return { ...head, ResultCode: resultCode.script, CheckResult: result.message };
  const { code, text, phases, dataSize, extended } = result.measurement;
  const sum = phases.dns + phases.connect + phases.ssl + phases.ttfb + phases.ttlb;
  const address = extended['Address'];
  return {
    ...head,
    ResultCode: code,
    CheckResult: text,
    ...(address !== undefined && { Address: address }),
    DNSTime: phases.dns,
    ConnectTime: phases.connect,
    SSLTime: phases.ssl,
    TTFB: phases.ttfb,
    TTLB: phases.ttlb,
    RequestTime: round(sum),
    DataSize: dataSize,
    ...(code !== resultCode.ok && { Extended: extended }),
  };
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
