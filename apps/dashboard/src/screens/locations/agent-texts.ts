import { milliseconds } from '../../model/format.ts';

/** Texts of the screen of an agent. */
export const agentTexts = {
  title: 'Agent',
  facts: {
    state: 'State',
    location: 'Location',
    host: 'Host',
    seen: 'Last heard',
    ago: 'ago',
    never: 'never',
    load: 'Load',
    late: 'Late',
    backlog: 'Unsent results',
    clock: 'Clock',
    version: 'Version',
    upgrade: 'Upgrade',
    certificate: 'Certificate ends',
    certificateHint: 'the agent renews it automatically',
    created: 'Invited',
    id: 'Id',
  },
  waiting: 'It has no figures yet: it has not connected.',
  lateness: (p50: number, p99: number) =>
    `${milliseconds(p50)} median, ${milliseconds(p99)} at the 99th percentile`,
  noReports: 'not known while it is not connected',
  settings: 'Settings',
  name: 'Name',
  nameHint: 'Checks and events show a new name too, those of the past included.',
  location: 'Location',
  moveHint: (name: string) =>
    `Save moves it to ${name}: it reconnects within seconds and checks the devices there. Checks so far stay with its present Location.`,
  revokedHint: 'A revoked agent cannot be moved.',
  save: 'Save',
  conflict: 'It was changed by someone else in the meantime. Your texts are kept: load it again, then save.',
  upgrade: {
    title: 'Upgrade',
    hint: 'The agent downloads the version, verifies that your release key signed it, and starts it. It returns to its present version if the new one does not connect and report within two minutes.',
    version: 'Version',
    button: 'Upgrade this agent',
    started: (version: string) => `The upgrade to ${version} was requested.`,
    docs: 'How to provide a version',
  },
  end: 'End',
  revoke: 'Revoke this agent',
  revokeAsk: (name: string) =>
    `Revoke ${name}? Its connection ends within seconds, and it cannot come back. Other agents of its Location check its devices. This cannot be undone.`,
  remove: 'Remove from the list',
  removeAsk: (name: string) => `Remove ${name} from the lists? Checks and events keep its name.`,
  cancel: 'Cancel the invitation',
  cancelAsk: 'Cancel the invitation? Its command no longer works.',
  help: {
    title: 'When it does not work',
    host: 'On its host: vantage-agent doctor checks each step of the connection, vantage-agent status shows unsent results, and vantage-agent logs its messages.',
    fenced: (id: string) =>
      `Two processes used the identity of this agent, so both were stopped. If only one is left, the operator lets it connect again: ./vantage agents unfence ${id}. Otherwise revoke it and invite again.`,
    docs: 'Agent',
    firewall: 'An agent behind a firewall',
    troubles: 'Troubleshooting',
  },
} as const;
