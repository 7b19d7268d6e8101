import type { AgentObject, AgentValue } from './snmp-agent.ts';

/** An object whose value stays. */
export function agentObject(
  oid: string,
  type: AgentValue['type'],
  value: string | number | bigint,
): AgentObject {
  return [oid, () => ({ type, value }) as AgentValue];
}

/** sysUpTime of a device; `ticks` returns hundredths of a second. */
export function upTime(ticks: () => number): AgentObject {
  return ['1.3.6.1.2.1.1.3.0', () => ({ type: 'ticks', value: Math.floor(ticks()) })];
}

/** sysDescr and sysName of the device `core-1`. */
export const systemObjects: readonly AgentObject[] = [
  agentObject('1.3.6.1.2.1.1.1.0', 'text', 'Example Switch 48'),
  agentObject('1.3.6.1.2.1.1.5.0', 'text', 'core-1'),
];
