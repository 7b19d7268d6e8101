import { type HardwareSize, type SizedLoad, sizeOf } from './sizing-model.ts';

export function showSize(load: SizedLoad): string {
  const size = sizeOf(load);
  const perAgent = Math.ceil(load.devices / load.agents);
  return [
    `${whole(load.devices)} devices (${load.method}) each ${load.intervalS} s: ${rounded(size.checksPerSecond)} checks a second, kept for ${load.retentionDays} days`,
    '',
    `controller  ${coresText(size.controllerCores)} cores, ${whole(size.controllerMemoryMiB)} MiB`,
    `PostgreSQL  ${coresText(size.databaseCores)} cores, ${rounded(size.diskGiB)} GiB on disk (${rounded(size.freshGiB)} GiB of it the checks of the last 9 days), ${rounded(size.flushesPerSecond)} flushes of the disk a second`,
    `each agent  ${coresText(size.agentCores)} cores, ${whole(size.agentMemoryMiB)} MiB (${whole(load.agents)} agents with ${whole(perAgent)} devices each)`,
    `network     ${rounded(size.networkKbits)} kbit a second from the agents, ${rounded(size.networkBackKbits)} to them`,
    '',
    ...adviceOf(load, size),
    'Measured on two slow cores; leave half of each machine free. docs/scaling.md has the accuracy, and the next steps.',
  ].join('\n');
}

/** Advice where a single controller or agent is not enough. */
function adviceOf({ agents }: SizedLoad, size: HardwareSize): string[] {
  return [
    ...(size.agentCores > 0.9
      ? [
          `An agent can use only one core of its host; use at least ${Math.ceil((size.agentCores * agents) / 0.7)}.`,
        ]
      : []),
    ...(size.controllerCores > 1
      ? [
          `A controller process can use only one core; start ${Math.ceil(size.controllerCores / 0.7)} on one PostgreSQL.`,
        ]
      : []),
  ];
}

/** At least a hundredth of a core. */
export function coresText(cores: number): string {
  return rounded(Math.max(0.01, cores));
}

/** Two significant digits, or whole numbers from 100. */
export function rounded(value: number): string {
  if (value >= 100) return whole(value);
  return String(Number(value.toPrecision(2)));
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
