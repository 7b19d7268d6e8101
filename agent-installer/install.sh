#!/bin/sh
# Installs a Vantage agent on this host. `vantage agents invite` of the controller prints the line that runs this script; `--help`
# lists the arguments. Needs root, sh, tar, gzip, sha256sum, and curl or GNU wget. Running it again changes nothing.
set -u
umask 022
# Ordinary users of Debian, and root after `su`, lack the folders of useradd and userdel.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

# The controller puts its CA certificate here when it serves the script.
CA_PEM='@VANTAGE_CA@'

program=/opt/vantage-agent
settings=/etc/vantage-agent
data=/var/lib/vantage-agent
link=/usr/local/bin/vantage-agent
user=vantage-agent
work=

usage() {
  cat <<'TEXT'
usage: install.sh --token TOKEN --endpoint URL --sha256 amd64=HEX,arm64=HEX [options]
  --token TOKEN      the invitation's token; it is valid for 15 minutes and one agent
  --endpoint URL     the controller's agent port: https://controller.example:8444; several comma-separated
  --sha256 LIST      the SHA-256 of the parcel for each architecture
  --release-key KEY  the public release key: the agent upgrades itself only to versions that this key signed
  --proxy URL        reach the controller through this HTTP proxy: http://[user:password@]proxy.example:3128
  --ca FILE          the controller's CA certificate (PEM), where the script did not come from the controller
  --parcel FILE      the parcel, copied to this host before; nothing is downloaded
  --allow-scripts    the policy allows checks by Script
  --dry-run          show the steps and do nothing
exit status: 0 installed, or installed before; 1 failed; 2 wrong arguments; 3 this host is not supported; 4 download failed;
  5 the SHA-256 differs; 6 the controller refused the token
TEXT
}

say() { printf '%s\n' "$*"; }
fail() {
  code=$1
  shift
  printf 'install.sh: %s\n' "$*" >&2
  exit "$code"
}
has() { command -v "$1" >/dev/null 2>&1; }
# Runs a command, or only shows it in a dry run.
run() {
  if [ -n "$dry" ]; then say "would run: $*"; else "$@" || fail 1 "this command failed: $*"; fi
}

read_arguments() {
  token='' endpoint='' sums='' key='' ca='' parcel='' dry='' scripts=false
  proxy=${https_proxy-${HTTPS_PROXY-}}
  while [ $# -gt 0 ]; do
    case $1 in
    --dry-run) dry=yes ;;
    --allow-scripts) scripts=true ;;
    --help | -h)
      usage
      exit 0
      ;;
    --token | --endpoint | --sha256 | --release-key | --ca | --parcel | --proxy)
      [ $# -ge 2 ] || fail 2 "$1 needs a value; --help lists the arguments"
      case $1 in
      --token) token=$2 ;;
      --endpoint) endpoint=$2 ;;
      --sha256) sums=$2 ;;
      --release-key) key=$2 ;;
      --ca) ca=$2 ;;
      --parcel) parcel=$2 ;;
      --proxy) proxy=$2 ;;
      esac
      shift
      ;;
    *) fail 2 "there is no argument $1; --help lists the arguments" ;;
    esac
    shift
  done
  case $token in
  '') fail 2 '--token is missing: the line that "vantage agents invite" prints has it' ;;
  *[!A-Za-z0-9_-]*) fail 2 '--token has other characters than letters, digits, - and _: is the line complete?' ;;
  esac
  case $endpoint in
  https://*) ;;
  '') fail 2 '--endpoint is missing: https://controller.example:8444' ;;
  *) fail 2 "--endpoint is $endpoint; it must begin with https://, as in https://controller.example:8444" ;;
  esac
  case $endpoint in *[!]A-Za-z0-9.:,/_[-]*) fail 2 "--endpoint is $endpoint; accepted is https://controller.example:8444" ;; esac
  case $key in *[!A-Za-z0-9+/=]*) fail 2 '--release-key has other characters than those of base64: is the line complete?' ;; esac
  case $proxy in
  '' | http://*) ;;
  *) fail 2 "--proxy is $proxy; it must begin with http://, as in http://proxy.example:3128" ;;
  esac
  case $proxy in *[[:space:]\"\'\\]*) fail 2 '--proxy must be an address without spaces and quotes' ;; esac
}

check_host() {
  [ "$(uname -s)" = Linux ] || fail 3 "this is $(uname -s); the agent runs on Linux"
  case $(uname -m) in
  x86_64 | amd64) arch=amd64 loader=/lib64/ld-linux-x86-64.so.2 ;;
  aarch64 | arm64) arch=arm64 loader=/lib/ld-linux-aarch64.so.1 ;;
  *) fail 3 "there is no agent for $(uname -m); there is one for x86_64 and aarch64" ;;
  esac
  [ -e "$loader" ] || fail 3 'this host has no glibc (Alpine has musl, for example): use the container image'
  for tool in tar gzip sha256sum mktemp; do
    has "$tool" || fail 3 "$tool is missing: install it and run the line again"
  done
  [ -n "$dry" ] || [ "$(id -u)" = 0 ] || fail 1 'this must run as root: put sudo before sh'
  if [ -n "$parcel" ]; then
    [ -r "$parcel" ] || fail 2 "--parcel $parcel cannot be read"
  else
    find_downloader
  fi
  sum=
  for pair in $(printf %s "$sums" | tr , ' '); do
    case $pair in "$arch"=*) sum=${pair#*=} ;; esac
  done
  if [ -e "$program/VERSION" ]; then
    : # a package installed the program
  elif [ -z "$sum" ]; then
    fail 4 "the controller has no parcel for $arch: run \"npm run parcel\" there and invite again (--sha256 names $arch=HEX then)"
  fi
}

find_downloader() {
  if has curl; then
    downloader=curl
  elif has wget && wget --version 2>/dev/null | grep -q 'GNU Wget'; then
    downloader=wget
  elif [ -e "$program/VERSION" ]; then
    downloader=none
  else
    fail 3 'curl or GNU wget is missing (the wget of BusyBox cannot verify a certificate): install one, or copy the parcel to this host (--parcel)'
  fi
}

check_ca() {
  case $CA_PEM in
  -----BEGIN*) ;;
  *)
    [ -n "$ca" ] || fail 2 "this copy of the script has no CA certificate: use --ca FILE with the controller's"
    [ -r "$ca" ] || fail 2 "--ca $ca cannot be read"
    CA_PEM=$(cat "$ca")
    ;;
  esac
}

# fetch PATH FILE: downloads from the first endpoint, verified by the CA; retries for a minute while the controller is busy.
fetch() {
  base=${endpoint%%,*}
  tries=0
  while :; do
    tries=$((tries + 1))
    if [ "$downloader" = curl ]; then
      status=$(https_proxy=$proxy curl -sS --cacert "$work/ca.pem" -H "Authorization: Bearer $token" -o "$2" \
        -w '%{http_code}' --connect-timeout 20 "$base$1" 2>"$work/error") || status=none
    else
      https_proxy=$proxy wget -nv --server-response --content-on-error --ca-certificate="$work/ca.pem" --tries=1 --timeout=60 \
        --header="Authorization: Bearer $token" -O "$2" "$base$1" 2>"$work/error"
      status=$(sed -n 's/^ *HTTP\/[0-9.]* \([0-9]*\).*/\1/p' "$work/error" | tail -n 1)
    fi
    case $status in
    200) return ;;
    429 | 503) [ "$tries" -lt 12 ] || fail 4 "the controller is busy ($status): run the line again in some minutes" ;;
    401 | 403) fail 6 "the controller refused the token: $(cut -c 1-300 "$2")" ;;
    '' | none) fail 4 "$base cannot be reached: $(tail -n 1 "$work/error")" ;;
    *) fail 4 "the controller answered $status: $(cut -c 1-300 "$2")" ;;
    esac
    say 'The controller is busy; trying again in 5 s.'
    sleep 5
  done
}

install_program() {
  if [ -e "$program/VERSION" ]; then
    say "The program is already installed: version $(cat "$program/VERSION")."
    return
  fi
  if [ -n "$dry" ]; then
    say "would ${parcel:+unpack $parcel}${parcel:-download ${endpoint%%,*}/parcel/linux-$arch.tar.gz} into $program, if its SHA-256 is $sum"
    return
  fi
  if [ -z "$parcel" ]; then
    say "Downloading the agent for $arch from ${endpoint%%,*}${proxy:+ through the proxy}."
    parcel=$work/parcel.tar.gz
    fetch "/parcel/linux-$arch.tar.gz" "$parcel"
  else
    # Other users could replace the file after the comparison of its SHA-256. They cannot replace this copy.
    cp "$parcel" "$work/parcel.tar.gz" || fail 1 "$parcel cannot be copied: is the disk full?"
    parcel=$work/parcel.tar.gz
  fi
  found=$(sha256sum <"$parcel" | cut -d ' ' -f 1)
  [ "$found" = "$sum" ] || fail 5 "the parcel is not the one of the invitation: its SHA-256 is $found, expected is $sum"
  rm -rf "$program.new"
  mkdir -p "$program.new" || fail 1 "$program.new cannot be created"
  gzip -dc "$parcel" | tar -x -o -f - -C "$program.new" || fail_unpacked 1 'the parcel cannot be unpacked: is the disk full?'
  error=$("$program.new/bin/node" --version 2>&1 >/dev/null) ||
    fail_unpacked 3 "the program does not run here; it needs glibc 2.28 or later and libstdc++ (Debian: libstdc++6): $error"
  mv "$program.new" "$program" || fail_unpacked 1 "$program cannot be created"
}
fail_unpacked() {
  rm -rf "$program.new"
  fail "$@"
}

make_user() {
  id "$user" >/dev/null 2>&1 && return
  if has useradd; then
    shell=/usr/sbin/nologin
    [ -e "$shell" ] || shell=/sbin/nologin
    run useradd --system --user-group --no-create-home --home-dir "$data" --shell "$shell" "$user"
  elif has adduser; then
    run addgroup -S "$user"
    run adduser -S -D -H -h "$data" -s /sbin/nologin -G "$user" "$user"
  else
    fail 3 'neither useradd nor adduser is here: create the system user vantage-agent and run the line again'
  fi
}

write_settings() {
  if [ -n "$dry" ]; then
    say "would write $settings/agent.env, $settings/ca.pem${key:+, $settings/release.pub} and $settings/policy.json, and create $data"
    return
  fi
  mkdir -p "$settings" "$data" || fail 1 "$settings and $data cannot be created"
  run chown "root:$user" "$settings"
  run chmod 0750 "$settings"
  run chown "$user:$user" "$data"
  run chmod 0700 "$data"
  printf '%s\n' "$CA_PEM" >"$settings/ca.pem"
  [ -e "$settings/policy.json" ] ||
    sed "s/\"Scripts\": false/\"Scripts\": $scripts/" "$program/policy.json" >"$settings/policy.json"
  [ -z "$key" ] || printf '%s\n' "$key" >"$settings/release.pub"
  for public in ca.pem policy.json release.pub; do
    [ ! -e "$settings/$public" ] || run chmod 0644 "$settings/$public"
  done
  : >"$settings/agent.env"
  run chown "root:$user" "$settings/agent.env"
  run chmod 0640 "$settings/agent.env"
  {
    say "VANTAGE_AGENT_ENDPOINTS=$endpoint"
    say "VANTAGE_AGENT_TOKEN=$token"
    say "VANTAGE_CA_FILE=$settings/ca.pem"
    say "VANTAGE_AGENT_DATA=$data"
    say "VANTAGE_AGENT_POLICY_FILE=$settings/policy.json"
    [ ! -e "$settings/release.pub" ] || say "VANTAGE_AGENT_RELEASE_KEY_FILE=$settings/release.pub"
    [ -z "$proxy" ] || say "VANTAGE_AGENT_PROXY=$proxy"
  } >>"$settings/agent.env" || fail 1 "$settings/agent.env cannot be written"
}

start_service() {
  [ -e /usr/bin/vantage-agent ] || run ln -sf "$program/bin/vantage-agent" "$link"
  run "$program/bin/vantage-agent" register
  run "$program/bin/vantage-agent" start
}

# The token was used. From now on the agent authenticates with its certificate.
forget_token() {
  [ -s "$data/identity/agent.crt" ] || return 0
  : >"$settings/agent.env.new" || return 0
  run chown "root:$user" "$settings/agent.env.new"
  run chmod 0640 "$settings/agent.env.new"
  if sed '/^VANTAGE_AGENT_TOKEN=/d' "$settings/agent.env" >"$settings/agent.env.new"; then
    mv "$settings/agent.env.new" "$settings/agent.env"
  else
    rm -f "$settings/agent.env.new"
  fi
}

wait_for_connection() {
  say "The agent runs. Waiting until it is connected."
  tries=0
  while [ "$tries" -lt 60 ]; do
    if state=$("$program/bin/vantage-agent" status 2>/dev/null); then
      say "$state"
      forget_token
      say 'Installed. "vantage-agent status" shows its state, "vantage-agent doctor" finds faults.'
      return
    fi
    tries=$((tries + 1))
    sleep 1
    if words=$("$program/bin/vantage-agent" ended); then
      fail 1 "the agent has ended: $words"
    fi
  done
  "$program/bin/vantage-agent" doctor
  fail 1 'the agent is installed and has no connection yet; it keeps trying. "vantage-agent doctor" finds the fault'
}

main() {
  read_arguments "$@"
  check_host
  if [ -e "$settings/agent.env" ] && { [ -e "$data/identity/agent.crt" ] || "$program/bin/vantage-agent" status >/dev/null 2>&1; }; then
    say "The agent is already installed (version $(cat "$program/VERSION")). \"vantage-agent uninstall --yes\" removes it."
    exit 0
  fi
  check_ca
  work=$(mktemp -d) || fail 1 'there is no space for temporary files'
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' INT TERM HUP
  printf '%s\n' "$CA_PEM" >"$work/ca.pem"
  install_program
  make_user
  write_settings
  start_service
  [ -n "$dry" ] || wait_for_connection
}

main "$@"
