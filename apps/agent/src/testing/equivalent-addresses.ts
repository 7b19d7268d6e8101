/** Ways to write one place, for the test that none of them gets past the policy. */

const octets: readonly (readonly string[])[] = [
  ['127', '0x7f', '0177'],
  ['0', '0x0', '00'],
  ['0', '0X00', '000'],
  ['1', '0x01', '01'],
];

/** 127.0.0.1 with each octet decimal, hexadecimal or octal, and every shorter form that inet_aton(3) accepts. */
export const oddV4: readonly string[] = [
  ...octets.reduce<readonly string[]>(
    (heads, forms) => heads.flatMap((head) => forms.map((form) => (head === '' ? form : `${head}.${form}`))),
    [''],
  ),
  ...['127.1', '127.0.1', '0x7f.1', '0177.1', '127.0x1', '2130706433', '0x7f000001', '0X7F000001'],
  ...['017700000001', '127.000.000.001', '127.0.0.1.', '0x7f.0x000001', '127.65535.1', '127.0.257'],
  ...['0.0.0.0', '0', '00', '0x0', '0.0', '0.0.0'],
];

/** Addresses of IPv6 that are ::1 or carry 127.0.0.1; without brackets. */
export const oddV6: readonly string[] = [
  ...[
    '::1',
    '0:0:0:0:0:0:0:1',
    '::0001',
    '0000:0000:0000:0000:0000:0000:0000:0001',
    '::0:1',
    '0::1',
    '::0.0.0.1',
  ],
  ...['::ffff:127.0.0.1', '::FFFF:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:1', '::ffff:7f00:0001'],
  ...['::127.0.0.1', '::7f00:1', '::ffff:0:127.0.0.1', '::ffff:0:7f00:1'],
  ...['64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:FF9B:0:0:0:0:7F00:1', '64:ff9b:1::7f00:1'],
  ...[
    '64:ff9b:1:7f00:0:100::',
    '64:ff9b:1:ab7f:0:1::',
    '64:ff9b:1:abcd:7f:0:100:0',
    '64:ff9b:1:abcd:7f:0:1ff:ffff',
  ],
  ...['2002:7f00:1::', '2002:7f00:1::1', '2001:0:1::80ff:fffe', 'fe80::5efe:7f00:1', 'fe80::200:5efe:7f00:1'],
  ...['::', '0::0', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', '::ffff:0:0', '::0.0.0.0'],
];

/** Names and disguises; `allowed` is a place that may be touched. */
export function oddNames(allowed: string): readonly string[] {
  return [
    ...[
      'localhost',
      'LOCALHOST',
      'LocalHost',
      'localhost.',
      'four.test',
      'six.test',
      'mapped.test',
      'nat64.test',
    ],
    ...['unspecified.test', 'alias.test', 'FOUR.TEST', 'four.test.'],
    ...[
      '１２７.0.0.1',
      '127。0。0。1',
      '127．0．0．1',
      '⑫7.0.0.1',
      'ｌｏｃａｌｈｏｓｔ',
      '%31%32%37.0.0.1',
      '127.0.0.%31',
    ],
    ...[`${allowed}@127.0.0.1`, `${allowed}:80@127.0.0.1`, `user:${allowed}@127.0.0.1`, `a%40b:c@127.0.0.1`],
    ...[
      `${allowed}@localhost`,
      `${allowed}@[::1]`,
      `${allowed}@[::ffff:127.0.0.1]`,
      `@127.0.0.1`,
      `:@127.0.0.1`,
    ],
    ...[`${allowed}@2130706433`, `127.0.0.1@127.0.0.1`, `${allowed}%00@127.0.0.1`, `${allowed}%23@127.0.0.1`],
  ];
}

/** Forms of a `Location` header besides plain URLs; browsers read each of them as an address of `port`. */
export function oddLocations(allowed: string, port: number): readonly string[] {
  return [
    `//127.0.0.1:${port}/`,
    `\\\\127.0.0.1:${port}\\`,
    `http:\\\\127.0.0.1:${port}/`,
    `http:/\\127.0.0.1:${port}/`,
    `hTTp://127.0.0.1:${port}/`,
    `http://127.0.\t0.1:${port}/`,
    `http://${allowed}:80\\@127.0.0.1:${port}/`,
    `http://${allowed}#@127.0.0.1:${port}/`,
    `///127.0.0.1:${port}/`,
    `http:127.0.0.1:${port}/`,
    `https://127.0.0.1:${port}/`,
    `/\\127.0.0.1:${port}/`,
  ];
}
