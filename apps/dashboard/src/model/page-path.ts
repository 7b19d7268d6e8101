/** A path for a status page of this name: `Our Customers!` is `our-customers`; '' if no letter can be used. */
export function pathOfName(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+/g, '')
    .slice(0, 64)
    .replaceAll(/-+$/g, '');
}
