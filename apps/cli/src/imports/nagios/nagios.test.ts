import { secretReference } from '@vantage/domain';
import { describe, expect, it } from 'vitest';
import { settle } from '../settle.ts';
import { withFile } from '../testing/with-file.ts';
import { readNagios } from './read-nagios.ts';

const objects = `
$USER1$=/usr/lib/nagios/plugins
define command {
  command_name  check_web
  command_line  $USER1$/check_http -H $HOSTADDRESS$ -S -u '$ARG1$' -e 200 -a mon:geheim -t 9 -w 2 -c 5
}
define command {
  command_name  check-host-alive
  command_line  $USER1$/check_ping -H $HOSTADDRESS$ -w 3000.0,80% -c 5000.0,100% -p 5
}
define command {
  command_name  check_local_disk
  command_line  $USER1$/check_disk -w $ARG1$
}
define host {
  name                generic   ; a template
  register            0
  check_command       check-host-alive
  check_interval      5
  retry_interval      1
  max_check_attempts  4
  hostgroups          all-hosts
}
define host {
  use         generic
  host_name   router
  address     10.0.0.1
}
define host {
  use         generic
  host_name   web1
  alias       Web server 1
  address     10.0.0.2
  parents     router
  hostgroups  +web
}
define hostgroup {
  hostgroup_name  web
}
define hostgroup {
  hostgroup_name  berlin
  members         router
  hostgroup_members  web
}
define service {
  hostgroup_name       web
  service_description  Shop
  check_command        check_web!/shop?a=1
  check_interval       10
  max_check_attempts   3
}
define service {
  host_name            *,!web1
  service_description  SSH
  check_command        check_ssh!-p 2222
}
define service {
  host_name            web1
  service_description  Disk
  check_command        check_local_disk!20%
}
define service {
  host_name            gone
  service_description  FTP
  check_command        check_ftp
}
define contact {
  contact_name  ann
}
`;

describe('Nagios', () => {
  it('hosts and services are devices: templates, groups, parents, macros and plugins are resolved', async () => {
    const settled = await withFile(objects, (file) => settle(readNagios([file]), 'nagios'));
    expect([settled.read, settled.file.devices.length, settled.refused.length]).toEqual([6, 4, 2]);
    const [router, web, shop, ssh] = settled.file.devices;
    expect(router).toEqual({
      Key: 'router',
      Method: 'PING',
      URL: '10.0.0.1',
      ShortName: 'router',
      FullName: 'router',
      Frequency: 5,
      Retries: 3,
      RetryDelay: 60,
      Tags: ['all-hosts', 'berlin'],
      Options: { Count: 5, MaxRTTMs: 5000 },
    });
    expect(web).toMatchObject({
      Key: 'web1',
      FullName: 'Web server 1',
      device_master_id: 'router',
      Tags: ['all-hosts', 'web'],
    });
    expect(shop).toEqual({
      Key: 'web1/Shop',
      Method: 'HTTP',
      URL: 'https://10.0.0.2/shop?a=1',
      ShortName: 'web1Shop',
      FullName: 'web1 Shop',
      Frequency: 10,
      Timeout: 9,
      Retries: 2,
      device_master_id: 'web1',
      Tags: ['all-hosts', 'web', 'berlin'],
      Options: {
        User: 'mon',
        Password: secretReference('secret', 'web1-Shop.Password'),
        MaxRedirects: 0,
        ExpectStatus: ['200'],
        SlowMs: 2000,
        MaxTimeMs: 5000,
        TLS: { Verify: false },
      },
    });
    expect(ssh).toMatchObject({ Method: 'SSH', URL: '10.0.0.1:2222', device_master_id: 'router' });
    expect(settled.refused.map(({ name, text }) => `${name}: ${text}`)).toEqual([
      'web1 Disk: is checked by check_disk, for which there is no Method; a Script may take its place',
      'gone FTP: is a service of the host "gone", which is not there',
    ]);
    expect(settled.ignored).toEqual(['not carried over: 1 contact objects']);
  });

  it.each([
    ['define host {\n  host_name x\n', /sample:1 has no closing "}"/],
    ['define host {\n}\nhello there', /sample:3 is no definition: "hello there"; accepted is object files/],
  ])('a file that is none is refused with its line %#', async (text, message) => {
    await expect(withFile(text, async (file) => readNagios([file]))).rejects.toThrow(message);
  });
});
