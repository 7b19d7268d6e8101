/** Further files of other tools in their real form, written for the tests. */

/** UptimeRobot: an answer of v2 with 6 monitors. */
export const uptimeRobotAnswer = JSON.stringify({
  stat: 'ok',
  pagination: { offset: 0, limit: 50, total: 6 },
  monitors: [
    {
      id: 1,
      friendly_name: 'Shop',
      url: 'https://shop.example.org/',
      type: 1,
      interval: 300,
      timeout: 30,
      status: 2,
      http_method: 1,
    },
    {
      id: 2,
      friendly_name: 'Word',
      url: 'https://shop.example.org/a',
      type: 2,
      keyword_type: 2,
      keyword_value: 'Welcome',
      interval: 60,
      status: 0,
    },
    {
      id: 3,
      friendly_name: 'No error',
      url: 'https://shop.example.org/b',
      type: 2,
      keyword_type: 1,
      keyword_value: 'Error',
      interval: 60,
      http_username: 'mon',
      http_password: 'geheim',
    },
    { id: 4, friendly_name: 'Router', url: '192.0.2.1', type: 3, interval: 60 },
    { id: 5, friendly_name: 'Mail', url: 'mail.example.org', type: 4, sub_type: 4, port: '', interval: 60 },
    { id: 6, friendly_name: 'Job', url: '', type: 5, interval: 60 },
  ],
});

/** Icinga 2: hosts, services and a dependency in one answer. */
export const icingaAnswer = JSON.stringify({
  results: [
    {
      name: 'router',
      type: 'Host',
      attrs: {
        name: 'router',
        display_name: 'router',
        address: '192.0.2.1',
        check_command: 'hostalive',
        check_interval: 60,
        retry_interval: 30,
        max_check_attempts: 3,
        groups: ['net'],
        vars: null,
        enable_active_checks: true,
      },
    },
    {
      name: 'web',
      type: 'Host',
      attrs: {
        name: 'web',
        display_name: 'Web server',
        address: '192.0.2.2',
        check_command: 'hostalive',
        check_interval: 60,
        retry_interval: 30,
        max_check_attempts: 3,
        groups: ['linux'],
        vars: { http_vhost: 'shop.example.org' },
      },
    },
    {
      name: 'web!http',
      type: 'Service',
      attrs: {
        name: 'http',
        host_name: 'web',
        display_name: 'http',
        check_command: 'http',
        check_interval: 300,
        retry_interval: 30,
        max_check_attempts: 5,
        groups: ['shop'],
        vars: { http_uri: '/cart', http_ssl: true, http_string: 'Welcome', http_auth_pair: 'mon:geheim' },
      },
    },
    {
      name: 'web!disk',
      type: 'Service',
      attrs: {
        name: 'disk',
        host_name: 'web',
        display_name: 'disk',
        check_command: 'disk',
        check_interval: 60,
      },
    },
    {
      name: 'web!web-behind-router',
      type: 'Dependency',
      attrs: { child_host_name: 'web', parent_host_name: 'router', child_service_name: '' },
    },
  ],
});

/** SmokePing's configuration: 5 targets, one of which shows others. */
export const smokePingConfiguration = `
*** General ***
owner = Ann
*** Database ***
step = 300
pings = 20
*** Probes ***
+ FPing
binary = /usr/bin/fping
+ DNS
binary = /usr/bin/dig
lookup = example.org
pings = 5
+ Curl
urlformat = https://%host%/
+ Qstat
*** Targets ***
probe = FPing
menu = Top
title = All \\
        networks
+ berlin
menu = Berlin
++ router
title = Router in Berlin
host = 192.0.2.1
++ ns
probe = DNS
host = 192.0.2.53
+ web
probe = Curl
host = shop.example.org
+ both
host = /berlin/router /web
+ game
probe = Qstat
host = game.example.org
`;

/** Zabbix: an export of two hosts and a template. */
export const zabbixExport = `
zabbix_export:
  version: '7.0'
  templates:
    - template: Base
      name: Base
      items:
        - { name: ICMP, type: SIMPLE, key: 'icmpping[,5]', delay: 30s }
        - { name: Port, type: SIMPLE, key: 'net.tcp.service[tcp,,{$PORT}]', status: DISABLED }
      macros: [{ macro: '{$PORT}', value: '443' }]
  hosts:
    - host: web
      name: Web server
      templates: [{ name: Base }]
      groups: [{ name: Linux/Berlin }]
      interfaces: [{ ip: 192.0.2.2, interface_ref: if1 }]
      macros: [{ macro: '{$PORT}', value: '8443' }]
      items:
        - { name: SSH, type: SIMPLE, key: 'net.tcp.service[ssh,,2222]', delay: 2m }
        - { name: Load, key: 'system.cpu.load[all,avg1]' }
      httptests:
        - name: Cart
          delay: 5m
          attempts: '3'
          steps: [{ name: cart, url: 'https://shop.example.org/cart', required: Welcome, status_codes: '200, 302' }]
    - { host: empty, name: Empty, groups: [{ name: Linux }], interfaces: [] }
`;
