import { invitationMinutes } from '@vantage/domain/agent-limits';
import { count } from '../model/format.ts';

/** Texts of the Locations and agents. */
export const locationsTexts = {
  locations: {
    title: 'Locations',
    allOnline: (n: number) =>
      n === 0
        ? 'There is no Location yet'
        : n === 1
          ? 'The Location is online'
          : `All ${count(n)} Locations are online`,
    offline: (n: number) => (n === 1 ? '1 Location is offline' : `${count(n)} Locations are offline`),
    columns: {
      name: 'Location',
      state: 'State',
      devices: 'Devices',
      load: 'Checks a minute',
      capacity: 'Capacity',
      agents: 'Agents',
    },
    online: 'Online',
    agents: 'Agents',
    agentColumns: {
      name: 'Agent',
      location: 'Location',
      state: 'State',
      version: 'Version',
      late: 'Late p99',
      backlog: 'Backlog',
      clock: 'Clock',
      load: 'Load',
      certificate: 'Certificate ends',
    },
    nameless: 'waiting for its first connection',
    connected: (n: number, of: number) => `${count(n)} of ${count(of)} connected`,
    invite: 'Invite an agent',
    inviteHint: `A line to run on the host that is to check from there. It is good for ${invitationMinutes} minutes and for one agent.`,
    location: 'Location',
    newLocation: 'a new one',
    newName: 'Name of the new Location',
    make: 'Create install command',
    copy: 'Copy',
    copied: 'Copied',
    line: 'Run this on the host, as root',
    wget: 'Without curl',
    expires: (time: string) => `It expires at ${time}. The agent appears below by itself.`,
    done: 'Done',
  },
} as const;
