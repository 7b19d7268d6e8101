export type { Dial, Peer, Phase, Phases, Policy, Stopwatch } from './contract/dial.ts';
export type {
  AnyProbe,
  Extended,
  Measurement,
  OptionsCase,
  Outcome,
  Probe,
  ProbeContext,
  Target,
  TargetResult,
} from './contract/probe.ts';
export { parseHost, parseTarget, refusedTargetText } from './contract/target.ts';
export { methodOf, probeFor, type ReadyCheck, readSpec, registry, specOf } from './engine/registry.ts';
export { type RunDeps, runCheck, runProbe } from './engine/run.ts';
export { type RequestedTrace, requestedTrace, type TracePlan, tracePlan } from './engine/trace-plan.ts';
export { createDial } from './net/dial.ts';
export { createNames, type Names } from './net/resolve.ts';
export { type Hop, type Trace, type TraceRequest, traceDiagnostics, traceroute } from './net/traceroute.ts';
export { maskOptions, secretPaths } from './redact/mask.ts';
