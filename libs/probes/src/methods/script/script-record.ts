import type { Json } from '@vantage/domain';
import { resultCode } from '@vantage/domain';
import type { StepResult } from '../../contract/probe.ts';

/** The record of a script, for the extended data. */
export interface ScriptRecord {
  /** Records that a step began or ended. A section lasts until the next one. */
  step(id: number, name: string, state: 'section' | 'open' | 'ok' | 'failed'): void;
  /** Records a call in the last open step, with its line in the script. The returned function takes its result. */
  call(name: string, line: number | undefined): (result: StepResult) => void;
  log(text: string): void;
  steps(): Json;
  logLines(): Json;
}

interface RecordedStep {
  readonly id: number;
  readonly name: string;
  readonly startMs: number;
  readonly section: boolean;
  readonly calls: RecordedCall[];
  ms: number | undefined;
  ok: boolean | undefined;
}

interface RecordedCall {
  readonly name: string;
  readonly line: number | undefined;
  readonly atMs: number;
  result: StepResult | undefined;
}

const maxSteps = 100;
const maxLogLines = 200;
const maxLogText = 32 * 1024;

/** Creates an empty record. Times are milliseconds since its creation. */
export function createRecord(monoMs: () => number): ScriptRecord {
  const startMs = monoMs();
  const sinceStart = () => round(monoMs() - startMs);
  const outside: RecordedStep = stepOf(0, '', 0, true);
  const steps: RecordedStep[] = [];
  const lines: string[] = [];
  let loggedLength = 0;
  let omitted = 0;

  const current = () => steps.findLast((step) => step.ms === undefined) ?? outside;
  const close = (step: RecordedStep, ok: boolean) => {
    step.ms = round(sinceStart() - step.startMs);
    step.ok = ok;
  };
  return {
    step(id, name, state) {
      const known = steps.find((step) => step.id === id);
      if (state === 'ok' || state === 'failed') {
        if (known) close(known, state === 'ok');
        return;
      }
      const before = steps.findLast((step) => step.section && step.ms === undefined);
      if (state === 'section' && before) close(before, true);
      if (steps.length < maxSteps) {
        steps.push(stepOf(id, name.slice(0, 200), sinceStart(), state === 'section'));
      }
    },
    call(name, line) {
      const call: RecordedCall = { name, line, atMs: sinceStart(), result: undefined };
      current().calls.push(call);
      return (result) => {
        call.result = result;
      };
    },
    log(text) {
      if (lines.length >= maxLogLines || loggedLength >= maxLogText) {
        omitted += 1;
        return;
      }
      lines.push(text.slice(0, maxLogText - loggedLength));
      loggedLength += text.length;
    },
    steps: () => (outside.calls.length > 0 ? [outside, ...steps] : steps).map(shownStep),
    logLines: () => (omitted === 0 ? lines : [...lines, `… ${omitted} more lines left out …`]),
  };
}

function stepOf(id: number, name: string, startMs: number, section: boolean): RecordedStep {
  return { id, name, startMs, section, calls: [], ms: undefined, ok: undefined };
}

function shownStep(step: RecordedStep): Json {
  return {
    ...(step.name !== '' && { Name: step.name, StartMs: step.startMs }),
    ...(step.ms !== undefined && { Ms: step.ms }),
    ...(step.ok !== undefined && { Ok: step.ok }),
    Calls: step.calls.map(shownCall),
  };
}

function shownCall({ name, line, atMs, result }: RecordedCall): Json {
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
