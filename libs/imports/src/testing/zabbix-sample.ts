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
