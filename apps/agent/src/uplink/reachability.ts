import { resultCode } from '@vantage/domain';
import type { Measurement } from '@vantage/probes';

/**
 * Decides what a check proves about the route to its target. `answered`: bytes came back. `silent`: a dead uplink would
 * give the same result. `nothing`: the check sent nothing. A refused connection counts as silent, because a router may
 * refuse in the name of the target.
 */
export function reachability(measurement: Measurement): 'answered' | 'silent' | 'nothing' {
  switch (measurement.code) {
    case resultCode.ok:
    case resultCode.tls:
    case resultCode.expectation:
    case resultCode.login:
      return 'answered';
    case resultCode.protocol:
      return measurement.dataSize > 0 ? 'answered' : 'silent';
    case resultCode.timeout:
    case resultCode.script:
    case resultCode.name:
      return 'silent';
    case resultCode.policy:
    case resultCode.agent:
      return 'nothing';
  }
}

/** The measurement of a check behind a silent anchor. It proves nothing about the device. */
export function asBehindAnchor(
  measurement: Measurement,
  anchor: { readonly name: string; readonly target: string },
): Measurement {
  return {
    ...measurement,
    code: resultCode.agent,
    text: `anchor ${anchor.name} (${anchor.target}) does not answer, and this device is behind it (this check: ${measurement.text})`,
    slow: false,
    behindAnchor: true,
  };
}

/**
 * The measurement of a check that could not reach its target because the uplink was dead. It proves nothing about the
 * device.
 */
export function asUplinkDead(measurement: Measurement): Measurement {
  return {
    ...measurement,
    code: resultCode.agent,
    text: `uplink dead: neither the controller nor any target beyond this agent's own networks answered (this check: ${measurement.text})`,
    slow: false,
  };
}
