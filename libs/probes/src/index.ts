export type { Dial, Peer, Phase, Phases, Policy, Stopwatch } from './contract/dial.ts';
export type {
  AnyProbe,
  Extended,
  Measurement,
  OptionsCase,
  Probe,
  ProbeContext,
  ProbeOutcome,
  Target,
  TargetResult,
} from './contract/probe.ts';
export { parseHost, parseTarget, refusedTargetText } from './contract/target.ts';
export { methodOf, probeFor, type ReadyCheck, readSpec, registry, specOf } from './engine/registry.ts';
export { runCheck, runProbe } from './engine/run.ts';
export type { RunDeps } from './engine/running-check.ts';
export { specMask } from './engine/spec-mask.ts';
export { type RequestedTrace, requestedTrace, type TracePlan, tracePlan } from './engine/trace-plan.ts';
export { push } from './methods/push.ts';
export { createDial } from './net/dial.ts';
export { createNames, type NameResolver } from './net/resolve.ts';
export {
  type Trace,
  type TraceHop,
  type TraceRequest,
  traceDiagnostics,
  traceroute,
} from './net/traceroute.ts';
export { maskOptions, secretPaths } from './redact/secret-options.ts';
