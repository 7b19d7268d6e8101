/** Objects of Nagios: 2 hosts and 4 services. */
export const nagiosObjects = `
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
