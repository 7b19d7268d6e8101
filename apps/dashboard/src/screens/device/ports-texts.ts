import { count } from '../../model/format.ts';

/** Texts of the interfaces of a device. */
export const portsTexts = {
  title: (n: number) => `${count(n)} ${n === 1 ? 'interface' : 'interfaces'}`,
  hint: 'The filled height is the utilisation. Choose one for its chart.',
  counts: (up: number, unmet: number, other: number) =>
    [
      `${count(up)} up`,
      ...(unmet > 0 ? [`${count(unmet)} not as expected`] : []),
      ...(other > 0 ? [`${count(other)} other`] : []),
    ].join(' · '),
  table: (n: number) => `All ${count(n)} as a table`,
  head: {
    name: 'Interface',
    alias: 'Alias',
    status: 'Status',
    in: 'In',
    out: 'Out',
    utilisation: 'Utilisation',
    errors: 'Errors',
  },
  named: (name: string, alias: string) => (alias === '' || alias === name ? name : `${name} “${alias}”`),
  rates: (inward: string, outward: string) => `in ${inward}, out ${outward}`,
  used: (percent: number, speed: string) => `${percent} % of ${speed}`,
  noRate: 'no rate yet',
} as const;
