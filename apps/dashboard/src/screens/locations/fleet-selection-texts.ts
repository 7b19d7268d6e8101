import type { AgentMove, LeftLocation } from '../../model/fleet-selection.ts';
import { count } from '../../model/format.ts';
import { agentsOf, devicesOf, listed } from '../../texts/counted.ts';

const named = (names: readonly string[]) => listed(names);

/** Texts of the changes of many agents. */
export const fleetSelectionTexts = {
  selection: 'Selected agents',
  selected: (n: number) => `${agentsOf(n)} selected`,
  hidden: (n: number) => `${count(n)} of them ${n === 1 ? 'is' : 'are'} not shown by the filter`,
  buttons: { upgrade: 'Upgrade', move: 'Move', remove: 'Remove' },
  title: {
    upgrade: (n: number) => `Upgrade ${agentsOf(n)}`,
    move: (n: number) => `Move ${agentsOf(n)}`,
    remove: (n: number) => `Remove ${agentsOf(n)}`,
  },
  version: 'Version',
  versionHint: 'The controller needs its signed package.',
  upgrade: (n: number) => `Upgrade ${agentsOf(n)}`,
  upgradeEffect: (n: number) =>
    n === 1
      ? 'One agent is upgraded.'
      : `${agentsOf(n)} are upgraded in four stages: one agent, 10 %, 50 %, all; at most 20 at the same time. The rollout stops if one fails.`,
  skipped: (n: number) => `${agentsOf(n)} ${n === 1 ? 'is' : 'are'} left out:`,
  skippedRow: (name: string, reason: string) => `${name}: ${reason}`,
  upgraded: (n: number, version: string) => `The upgrade of ${agentsOf(n)} to ${version} began.`,
  openUpgrades: 'Open upgrades',
  target: 'To Location',
  choose: 'Choose a Location',
  move: (n: number, to: string) => (to === '' ? 'Move' : `Move ${agentsOf(n)} to ${to}`),
  moveEffect: (n: number, to: string) =>
    `${agentsOf(n)} ${n === 1 ? 'reconnects' : 'reconnect'} within seconds and ${n === 1 ? 'checks' : 'check'} the devices of ${to}. Checks so far stay with the present Location.`,
  stays: (stays: AgentMove['stays']) => {
    const there = stays.filter(({ reason }) => reason === 'there').length;
    const over = stays.length - there;
    return [
      ...(there > 0 ? [`${agentsOf(there)} ${there === 1 ? 'is' : 'are'} there already`] : []),
      ...(over > 0
        ? [`${agentsOf(over)} ${over === 1 ? 'is' : 'are'} revoked or expired, and cannot be moved`]
        : []),
    ].join('; ');
  },
  left: (left: readonly LeftLocation[]) => {
    const devices = left.reduce((sum, each) => sum + each.devices, 0);
    return `${named(left.map(({ name }) => name))} ${left.length === 1 ? 'has' : 'have'} no agent afterwards; ${devicesOf(devices)} assigned there ${devices === 1 ? 'is' : 'are'} not checked from there.`;
  },
  remove: (n: number) => `Remove ${agentsOf(n)}`,
  removal: {
    revoked: (n: number) =>
      `${agentsOf(n)} ${n === 1 ? 'is' : 'are'} revoked: ${n === 1 ? 'its connection ends' : 'their connections end'} within seconds, and ${n === 1 ? 'it' : 'they'} cannot come back. This cannot be undone.`,
    cancelled: (n: number) =>
      `${count(n)} ${n === 1 ? 'invitation is' : 'invitations are'} cancelled: the ${n === 1 ? 'command no longer works' : 'commands no longer work'}.`,
    removed: (n: number) =>
      `${count(n)} revoked or expired ${n === 1 ? 'agent is' : 'agents are'} removed from the lists. Checks and events keep the ${n === 1 ? 'name' : 'names'}.`,
  },
  typeCount: (n: number) => `Type ${n} to remove them`,
  working: (done: number, total: number) => `${count(done)} of ${count(total)}`,
  moved: (n: number, to: string) => `${agentsOf(n)} moved to ${to}`,
  movedBack: 'Undo',
  removed: (n: number) => `${agentsOf(n)} removed or revoked`,
  refused: (n: number) => `${agentsOf(n)} refused:`,
  more: (n: number) => `and ${count(n)} more`,
} as const;
