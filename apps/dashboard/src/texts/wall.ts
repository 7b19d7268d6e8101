import { count } from '../model/format.ts';
import { devicesOf } from './counted.ts';

// Every text of the wall.

export const wallTexts = {
  title: 'Wall',
  loading: 'Reading…',
  down: (n: number) => `${count(n)} down`,
  causes: (n: number) => (n === 1 ? '1 cause' : `${count(n)} causes`),
  quiet: 'All quiet',
  nothingDown: 'Nothing is down',
  blind: 'Nothing is observed',
  blindWhy: 'No Location is online. Most likely this is the network of the controller or of its agents.',
  watched: (n: number, at: number) =>
    `${devicesOf(n)} checked from ${count(at)} ${at === 1 ? 'Location' : 'Locations'}`,
  none: 'This key sees no device.',
  downFor: (age: string) => `Down for ${age}`,
  from: (place: string) => `seen from ${place}`,
  behind: (n: number, tags: string) => `${count(n)} behind it${tags === '' ? '' : `: ${tags}`}`,
  nobody: 'Nobody has it yet',
  has: (name: string) => `${name} has it`,
  notObserved: (age: string | undefined) => (age === undefined ? 'not observed' : `not observed for ${age}`),
  unknown: (n: number) => `${devicesOf(n)} Unknown`,
  lost: (n: number) => `${count(n)} not observed`,
  partial: (place: string | undefined, age: string) =>
    place === undefined ? `from some Locations only, ${age}` : `only from ${place}, ${age}`,
  maintenance: (n: number) => `${count(n)} in maintenance`,
  until: (name: string, time: string) => `${name} to ${time}`,
  more: (n: number) => `and ${count(n)} more`,
  age: (age: string) => `last word ${age} ago`,
  waiting: 'waits for the controller',
  silent: (age: string, time: string) => `The controller has been silent for ${age}. This is from ${time}.`,
  ended: (time: string) => `This wall is signed out. This is from ${time}.`,
  unreachable: 'The controller does not answer. It is tried again each 10 seconds.',
  badKey: 'The key in the address of this wall is not known or not in force.',
  wrongLevel: (level: string) =>
    `The key in the address of this wall is of the level ${level} and can change things. Use a key of the level UR, which only views.`,
} as const;
