import { list, type NagiosObject } from './objects.ts';

/** Hosts by their name. */
export type Hosts = ReadonlyMap<string, NagiosObject>;

/** The groups of each host (by its name) and of each service (by `host/description`). Groups in groups count. */
export function groupMembers(objects: readonly NagiosObject[], hosts: Hosts): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  const add = (member: string, group: string) => {
    const known = groups.get(member) ?? [];
    if (!known.includes(group)) groups.set(member, [...known, group]);
  };
  for (const [name, { fields }] of hosts) for (const group of list(fields['hostgroups'])) add(name, group);
  const named = objects.filter(({ kind }) => kind === 'hostgroup');
  const byName = new Map(named.map((each) => [each.fields['hostgroup_name'] ?? '', each]));
  const membersOf = (name: string, above: readonly string[]): string[] => {
    const fields = byName.get(name)?.fields ?? {};
    const joined = [...hosts].flatMap(([host, each]) =>
      list(each.fields['hostgroups']).includes(name) ? [host] : [],
    );
    const own = list(fields['members']).flatMap((member) => (member === '*' ? [...hosts.keys()] : [member]));
    const inner = list(fields['hostgroup_members']).filter((each) => !above.includes(each));
    return [...joined, ...own, ...inner.flatMap((each) => membersOf(each, [...above, each]))];
  };
  for (const name of byName.keys()) for (const member of membersOf(name, [name])) add(member, name);
  for (const { kind, fields } of objects) {
    if (kind !== 'servicegroup') continue;
    const members = list(fields['members']);
    for (let at = 0; at + 1 < members.length; at += 2)
      add(`${members[at]}/${members[at + 1]}`, fields['servicegroup_name'] ?? '');
  }
  return groups;
}
