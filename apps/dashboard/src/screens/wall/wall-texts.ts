import { count } from '../../model/format.ts';
import { andMore, devicesOf } from '../../texts/counted.ts';

/** Texts of the wall. */
export const wallTexts = {
  title: 'Wall',
  loading: 'Reading…',
  down: (n: number) => `${count(n)} down`,
  causes: (n: number) => (n === 1 ? '1 cause' : `${count(n)} causes`),
  quiet: 'All quiet',
  nothingDown: 'Nothing is down',
  unobserved: 'Nothing is observed',
  checked: (n: number, locations: number) =>
    `${devicesOf(n)} checked from ${count(locations)} ${locations === 1 ? 'Location' : 'Locations'}`,
  none: 'This key sees no device.',
  downFor: (age: string) => `Down for ${age}`,
  from: (location: string) => `seen from ${location}`,
  behind: (n: number, tags: string) => `${count(n)} behind it${tags === '' ? '' : `: ${tags}`}`,
  notAcknowledged: 'Not acknowledged',
  acknowledgedBy: (name: string) => `Acknowledged by ${name}`,
  notObserved: (age: string | undefined) => (age === undefined ? 'not observed' : `not observed for ${age}`),
  unknown: (n: number) => `${devicesOf(n)} Unknown`,
  lost: (n: number) => `${count(n)} not observed`,
  partial: (location: string | undefined, age: string) =>
    location === undefined ? `from some Locations only, ${age}` : `only from ${location}, ${age}`,
  maintenance: (n: number) => `${count(n)} in maintenance`,
  until: (name: string, time: string) => `${name} to ${time}`,
  more: andMore,
  age: (age: string) => `last news ${age} ago`,
  waiting: 'waiting for the controller',
  silent: (age: string, time: string) =>
    `No news from the controller for ${age}. The state shown is from ${time}.`,
  ended: (time: string) => `This wall is signed out. The state shown is from ${time}.`,
  unreachable: 'The controller does not answer. Trying again every 10 seconds.',
  badKey: 'The key in the address of this wall is wrong, or it has ended.',
  wrongLevel: (level: string) =>
    `The key in the address of this wall is of level ${level} and can change things. Use a key of level UR, which can only view.`,
} as const;
