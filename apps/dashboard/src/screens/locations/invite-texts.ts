import { invitationMinutes } from '@vantage/domain/agent-limits';
import { milliseconds } from '../../model/format.ts';
import { devicesOf } from '../../texts/counted.ts';

/** `14:05`, minutes and seconds. */
const clock = (seconds: number) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** Texts of the invitation of an agent. */
export const inviteTexts = {
  title: 'Invite an agent',
  titleFor: (location: string) => `Invitation for ${location}`,
  hint: `You get a command to run on the host from which devices are to be checked. It works for ${invitationMinutes} minutes and for one agent. The host needs Linux and one outgoing connection to this controller.`,
  newLocation: 'a new one',
  newName: 'Name of the new Location',
  name: 'Name of the agent',
  nameHint: 'empty: the name of its host is shown',
  address: 'Address of this controller',
  addressHint: 'empty: the address of the controller’s settings',
  addressWrong: 'An address is https://host:port, for example https://vantage.example.org:8444.',
  make: 'Create install command',
  line: 'Run this on the host, as root or with sudo',
  wget: 'Without curl',
  until: (time: string, seconds: number) => `For one agent, valid until ${time}: ${clock(seconds)} left.`,
  secret: 'It contains a secret, which is shown only here.',
  expired: 'This invitation has expired and no longer works.',
  again: 'Create a new command',
  warnings: {
    own: (host: string) =>
      `${host} is this controller’s own machine. On another host the command would look for the controller there and fail.`,
    name: (host: string) => `${host} has no public domain. Hosts outside this network may not find it.`,
    private: (host: string) => `${host} is a private address. Only hosts of the same network reach it.`,
  },
  use: 'Use this address',
  useHint: 'The command is created again with it. This browser keeps the address for later invitations.',
  more: 'Other ways, and what the host needs',
  proxy: 'Behind an HTTP proxy: add --proxy http://proxy.example:3128 at the end of the command.',
  ports: (port: string) =>
    `The host connects to TCP port ${port} of this controller, and to nothing else. No port of the host needs to be open.`,
  installDocs: 'Install an agent',
  firewallDocs: 'An agent behind a firewall',
  waiting: (name: string) => `Waiting for ${name}. It appears here when it connects.`,
  theAgent: 'the agent',
  enrolled: 'The agent has used the invitation and is connecting.',
  nothing: 'Nothing has connected for two minutes. On the host check:',
  checks: (host: string, port: string) => [
    `Did the command end with an error? Its exit status names the cause.`,
    `Does the host resolve ${host} and reach TCP port ${port}? Try: curl -k https://${host.includes(':') ? `[${host}]` : host}:${port}/install.sh. An answer about a missing token is good.`,
    'Does it need an HTTP proxy? Add --proxy and its address at the end of the command.',
    'Is the agent installed? vantage-agent doctor checks each step, and vantage-agent logs shows its messages.',
  ],
  arrived: (name: string, host: string) => `${name} is connected${host === '' ? '' : `, on ${host}`}.`,
  firstChecks: (n: number) => `It can check the ${devicesOf(n)} of this Location. The first checks:`,
  noDevices: 'No device is checked from this Location yet. Choose it in the settings of a device.',
  addDevice: 'Add a device',
  noChecks: 'No check has ended yet.',
  check: (isGood: boolean, ms: number, result: string) => (isGood ? `good, ${milliseconds(ms)}` : result),
  open: 'Open the agent',
  done: 'Done',
  cancel: 'Cancel the invitation',
} as const;
