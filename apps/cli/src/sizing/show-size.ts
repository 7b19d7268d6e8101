import { type Load, type Size, sizeOf } from './model.ts';

/** The size of an installation as text for people. Pure. */
export function showSize(load: Load): string {
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
    'Measured on two slow cores; leave half of each machine free. docs/scaling.md says how well this fits, and what comes next.',
  ].join('\n');
}

/** The next step where one machine or one agent is not enough. */
function adviceOf({ agents }: Load, size: Size): string[] {
  return [
    ...(size.agentCores > 0.9
      ? [`One agent uses one core of its host; take at least ${Math.ceil((size.agentCores * agents) / 0.7)}.`]
      : []),
    ...(size.controllerCores > 1
      ? [
          `One controller process uses one core; start ${Math.ceil(size.controllerCores / 0.7)} on one PostgreSQL.`,
        ]
      : []),
  ];
}

/** Cores; less than a hundredth is shown as one. */
export function coresText(cores: number): string {
  return rounded(Math.max(0.01, cores));
}

/** A figure of two digits at least, as people compare them. */
export function rounded(value: number): string {
  if (value >= 100) return whole(value);
  return String(Number(value.toPrecision(2)));
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
