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
