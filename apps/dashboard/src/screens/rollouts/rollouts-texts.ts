import { count } from '../../model/format.ts';
import type { RolloutCounts } from '../../model/rollout-view.ts';
import { agentsOf } from '../../texts/counted.ts';

const parts = {
  failed: 'failed',
  running: 'under way',
  waiting: 'waiting',
  away: 'waiting until connected',
  stopped: 'not started',
  done: 'done',
} as const;

/** Texts of the screen of upgrades. */
export const rolloutsTexts = {
  name: 'Upgrades',
  headline: (running: number, version: string) =>
    running === 0
      ? 'No upgrade is running'
      : running === 1
        ? `The upgrade to ${version} is running`
        : `${count(running)} upgrades are running`,
  about:
    'A rollout upgrades one agent, then 10 %, 50 % and all of them, at most 20 at the same time. It stops if an agent fails; that agent keeps its version.',
  none: 'No agent was upgraded from here yet. Select agents in the list of Locations and press Upgrade.',
  title: (version: string, agents: number) => `${version} for ${agentsOf(agents)}`,
  states: { Running: 'running', Done: 'done', Stopped: 'stopped' },
  began: (age: string) => `began ${age} ago`,
  took: (span: string) => `took ${span}`,
  counts: (counts: RolloutCounts) =>
    (Object.keys(parts) as readonly (keyof RolloutCounts)[])
      .filter((kind) => counts[kind] > 0)
      .map((kind) => `${count(counts[kind])} ${parts[kind]}`)
      .join(', '),
  stages: ['1 agent', '10 %', '50 %', 'all'],
  stagesLabel: (stage: number, mayBegin: number) =>
    `Stage ${stage} of 4: ${agentsOf(mayBegin)} may have begun`,
  because: (reason: string) => `It stopped: ${reason}`,
  again: (n: number) => `Upgrade the other ${agentsOf(n)}`,
  againHint: 'Starts a new rollout for the agents that failed or did not start.',
  agents: 'Agents',
  columns: { agent: 'Agent', location: 'Location', state: 'State', since: 'For', reason: 'Reason' },
  away: 'waits until it is connected',
  shown: (n: number) => `Show all ${agentsOf(n)}`,
} as const;
