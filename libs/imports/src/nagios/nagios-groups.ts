import { type NagiosObject, namesOf } from './nagios-objects.ts';

/** Hosts by their name. */
export type NagiosHosts = ReadonlyMap<string, NagiosObject>;

/** The groups of each host, by its name, and of each service, by `host/description`. Groups may contain groups. */
export function groupsByMember(
  objects: readonly NagiosObject[],
  hosts: NagiosHosts,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  const add = (member: string, group: string) => {
    const known = groups.get(member) ?? [];
    if (!known.includes(group)) groups.set(member, [...known, group]);
  };
  for (const [name, { fields }] of hosts) for (const group of namesOf(fields['hostgroups'])) add(name, group);
  for (const [group, members] of hostGroups(objects, hosts)) for (const member of members) add(member, group);
  for (const { kind, fields } of objects) {
    if (kind !== 'servicegroup') continue;
    // Members are pairs: host, description, host, description.
    const members = namesOf(fields['members']);
    for (let index = 0; index + 1 < members.length; index += 2)
      add(`${members[index]}/${members[index + 1]}`, fields['servicegroup_name'] ?? '');
  }
  return groups;
}

function hostGroups(objects: readonly NagiosObject[], hosts: NagiosHosts): Map<string, string[]> {
  const byName = new Map(
    objects
      .filter(({ kind }) => kind === 'hostgroup')
      .map((group) => [group.fields['hostgroup_name'] ?? '', group]),
  );
  const membersOf = (name: string, parents: readonly string[]): string[] => {
    const fields = byName.get(name)?.fields ?? {};
    const declaredByHost = [...hosts].flatMap(([host, object]) =>
      namesOf(object.fields['hostgroups']).includes(name) ? [host] : [],
    );
    const listed = namesOf(fields['members']).flatMap((member) =>
      member === '*' ? [...hosts.keys()] : [member],
    );
    const subgroups = namesOf(fields['hostgroup_members']).filter((group) => !parents.includes(group));
    return [
      ...declaredByHost,
      ...listed,
      ...subgroups.flatMap((group) => membersOf(group, [...parents, group])),
    ];
  };
  return new Map([...byName.keys()].map((name) => [name, membersOf(name, [name])]));
}
