import { count } from '../model/format.ts';

/** “1 time”, “12 times”. */
export const timesOf = (n: number) => (n === 1 ? '1 time' : `${count(n)} times`);

/** “1 device”, “4,812 devices”. */
export const devicesOf = (n: number) => `${count(n)} ${n === 1 ? 'device' : 'devices'}`;
