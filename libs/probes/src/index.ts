export { createDial, type Dial } from './dial.ts';
export { keyProblems } from './private-key.ts';
export type {
  Extended,
  Json,
  OptionsCase,
  Outcome,
  Phase,
  Phases,
  Policy,
  Probe,
  ProbeContext,
  Stopwatch,
  Target,
  TargetResult,
} from './probe.ts';
export {
  type AnyProbe,
  type Measurement,
  type Method,
  methods,
  type ResultCode,
  resultCode,
} from './probe.ts';
export { methodOf, probeFor, readSpec, registry, specOf } from './registry.ts';
export { createNames, type Names } from './resolve.ts';
export { type ReadyCheck, type RunDeps, runCheck, runProbe } from './run.ts';
export { maskOptions, secretPaths } from './secret-options.ts';
export { parseHost, parseTarget } from './target.ts';
export { type TracePlan, tracePlan } from './trace-plan.ts';
export { type Hop, type Trace, type TraceRequest, traceEvidence, traceroute } from './traceroute.ts';
