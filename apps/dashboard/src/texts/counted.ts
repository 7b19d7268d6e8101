import { count } from '../model/format.ts';

/** “1 device”, “4,812 devices”. */
export const devicesOf = (n: number) => `${count(n)} ${n === 1 ? 'device' : 'devices'}`;
