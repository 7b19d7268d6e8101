import { count } from '../../model/format.ts';
import { devicesOf } from '../../texts/counted.ts';

/** Texts of the first steps. */
export const checklistTexts = {
  title: 'First steps',
  progress: (done: number, all: number) => `${count(done)} of ${count(all)} done`,
  stays: 'The list stays until all are done.',
  hide: 'Hide this list',
  show: (open: number) => `Show the first steps, ${count(open)} open`,
  done: 'Done',
  open: 'Open',
  steps: {
    watch: 'Watch something',
    notify: 'Be notified',
    invite: 'Invite a colleague',
    location: 'Check from a second Location',
    page: 'Share a status page',
    backup: 'Back up Vantage',
  },
  watch: {
    done: (n: number) => devicesOf(n),
    open: 'paste an address above, or add many at once',
    act: 'Add a device',
    many: 'Add many',
  },
  notify: {
    reached: (names: readonly string[]) => {
      const [first = '', second, ...others] = names;
      if (second === undefined) return `${first} gets a message of every alert`;
      return others.length === 0
        ? `${first} and ${second} get messages of alerts`
        : `${first}, ${second} and ${count(others.length)} more get messages of alerts`;
    },
    open: 'if a device fails now, no contact is notified',
    withoutMail: (names: readonly string[]) =>
      `${names.slice(0, 3).join(', ')} would get an e-mail, but no mail server is set`,
    act: 'Choose who is notified',
    others: 'Chat, pager or webhook',
    otherHint: 'Slack, Teams, Telegram, ntfy and others need no mail server.',
    email: 'E-mail address',
    emailHint: 'It gets a message of every alert. You can refine that later under Schedules.',
    add: 'Notify this address',
    serverFirst: 'E-mails need a mail server. Test it, then save it.',
    noServer: 'No mail server is known to you. If e-mails do not arrive, ask an admin of Vantage to set one.',
    taken: 'There is another default notification schedule. Add the contact to it under Schedules.',
    sent: 'A test message was sent:',
    notSent: 'The test message did not arrive:',
  },
  invite: {
    done: (n: number) => (n === 1 ? '1 colleague signs in' : `${count(n)} colleagues sign in`),
    waiting: (n: number) =>
      n === 1
        ? '1 person is invited and has not accepted yet'
        : `${count(n)} people are invited and have not accepted yet`,
    open: 'so that a colleague can acknowledge while you sleep',
    act: 'Invite a person',
    see: 'Keys and people',
  },
  location: {
    done: (n: number) => `${count(n)} Locations are online`,
    open: 'two Locations tell a broken device from a broken path to it; one line on any Linux host',
    act: 'Invite an agent',
    see: 'Locations',
  },
  page: {
    done: (n: number) => (n === 1 ? '1 status page' : `${count(n)} status pages`),
    open: 'a page without a sign-in, for those who ask “is it down?”',
    act: 'Create a status page',
    see: 'Status pages',
  },
  backup: {
    done: (age: string) => `made ${age} ago`,
    byOthers: 'made by other means',
    old: (age: string) => `the last one was made ${age} ago`,
    open: 'no backup was ever made; one command on the host of the controller makes it',
    act: 'How to back up',
    see: 'How to restore',
  },
} as const;
